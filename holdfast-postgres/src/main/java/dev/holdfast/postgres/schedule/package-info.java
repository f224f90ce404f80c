/**
 * Schedules, declarations of schedules, and firing.
 *
 * <p>Uses {@code db} and the statements of {@code intake}. Invariant: a schedule advances to its
 * next due time in the transaction that creates the jobs of the current one.
 */
@NullMarked
package dev.holdfast.postgres.schedule;

import org.jspecify.annotations.NullMarked;
