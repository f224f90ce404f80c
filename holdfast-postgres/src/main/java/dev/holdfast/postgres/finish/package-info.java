/**
 * Statements that end attempts, in groups, and recognise repeats of a finish whose reply was lost.
 *
 * <p>Uses {@code db} and {@code job}. Invariant: an outcome is stored once, and only for the
 * incarnation and the token that hold the job.
 */
@NullMarked
package dev.holdfast.postgres.finish;

import org.jspecify.annotations.NullMarked;
