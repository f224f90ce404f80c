/**
 * Enqueue statements, with and without unique keys, on our own connections and in external
 * transactions.
 *
 * <p>Uses {@code db}, {@code job} and {@code notify}. Invariant: a call that is repeated, or that
 * arrives after its own repeat, creates no second job.
 */
@NullMarked
package dev.holdfast.postgres.intake;

import org.jspecify.annotations.NullMarked;
