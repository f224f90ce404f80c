/**
 * Work that recurs: what a {@link dev.holdfast.api.schedule.Schedule} says, and how schedules are
 * made, found and steered.
 *
 * <p>Everything but {@link dev.holdfast.api.schedule.Schedules} is a value, checked when it is
 * built. Whether a cron expression makes sense is found out where it is read, in the engine, so
 * that this module needs no parser; a client refuses a bad one before anything is written.
 */
@NullMarked
package dev.holdfast.api.schedule;

import org.jspecify.annotations.NullMarked;
