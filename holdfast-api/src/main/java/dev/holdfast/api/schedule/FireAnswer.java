package dev.holdfast.api.schedule;

import dev.holdfast.api.job.JobId;

/** What became of the wish to fire a schedule at once. */
public sealed interface FireAnswer {

  /** A job was made. */
  record Fired(JobId job) implements FireAnswer {}

  /** None was made: this job of the schedule is live, and its jobs must not overlap. */
  record Overlapped(JobId live) implements FireAnswer {}

  /** There is no such schedule. */
  record NotFound() implements FireAnswer {}
}
