package dev.holdfast.api.schedule;

import dev.holdfast.api.job.JobId;

/** The result of {@linkplain Schedules#fire firing} a schedule immediately. */
public sealed interface FireResult {

  /**
   * A job was created.
   *
   * @param job the id of the new job
   */
  record Fired(JobId job) implements FireResult {}

  /**
   * No job was created, because a job of the schedule has not ended and its jobs must not overlap.
   *
   * @param live the id of the job that has not ended
   */
  record Overlapped(JobId live) implements FireResult {}

  /** The schedule does not exist. */
  record NotFound() implements FireResult {}
}
