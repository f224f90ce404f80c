package dev.holdfast.api.schedule;

import dev.holdfast.api.job.JobId;

/** What became of the wish to fire a schedule at once. */
public sealed interface FireResult {

  /** A job was made. */
  record Fired(JobId job) implements FireResult {}

  /** None was made: this job of the schedule is live, and its jobs must not overlap. */
  record Overlapped(JobId live) implements FireResult {}

  /** There is no such schedule. */
  record NotFound() implements FireResult {}
}
