/**
 * Reading and controlling jobs: find, list, count, why a job waits, cancel, retry, requeue, purge.
 *
 * <p>Uses {@code db}, {@code job}, {@code rule} and the node rows of {@code liveness}. Invariant: a
 * job that moves between tables is found in exactly one of them, because one statement reads all of
 * them.
 */
@NullMarked
package dev.holdfast.postgres.query;

import org.jspecify.annotations.NullMarked;
