/**
 * Schedules: recurring jobs.
 *
 * <p>A {@link dev.holdfast.api.schedule.Schedule} defines a task, its payload and a {@link
 * dev.holdfast.api.schedule.Recurrence}: the {@link dev.holdfast.api.schedule.Timing} (cron or
 * interval), what happens to {@linkplain dev.holdfast.api.schedule.Misfire missed due times} and
 * whether jobs may {@linkplain dev.holdfast.api.schedule.Overlap overlap}. It is stored with {@link
 * dev.holdfast.api.schedule.Schedules}, or declared by a node in code or with {@link
 * dev.holdfast.api.schedule.Recurring}. {@link dev.holdfast.api.schedule.ScheduleStatus} describes
 * a stored schedule.
 *
 * <p>All types except {@code Schedules} are immutable values that are checked when they are
 * created. This module contains no cron parser: the engine provides one as a {@link
 * dev.holdfast.api.schedule.CronSyntax} service.
 */
@NullMarked
package dev.holdfast.api.schedule;

import org.jspecify.annotations.NullMarked;
