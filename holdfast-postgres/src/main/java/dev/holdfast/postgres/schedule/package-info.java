/**
 * Schedules, declarations of schedules, and firing: a due time creates its jobs in one transaction.
 */
@NullMarked
package dev.holdfast.postgres.schedule;

import org.jspecify.annotations.NullMarked;
