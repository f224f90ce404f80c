/**
 * Node rows, heartbeats and the recovery of jobs whose holder is dead.
 *
 * <p>Uses {@code db}, {@code job} and {@code rule}. Invariant: a node is marked dead only if it has
 * sent no heartbeat since the one that was seen, and a job is taken back only under the token that
 * was seen.
 */
@NullMarked
package dev.holdfast.postgres.liveness;

import org.jspecify.annotations.NullMarked;
