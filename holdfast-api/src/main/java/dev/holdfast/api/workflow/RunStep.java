package dev.holdfast.api.workflow;

import dev.holdfast.api.job.FailedAttempt;
import dev.holdfast.api.job.JobId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** A step of a run as read from the database. */
public interface RunStep {

  /** Returns the name of the step. */
  String name();

  /** Returns the display text; the name if the step has none. */
  String label();

  /** Returns what the step does: {@code task}, {@code map}, {@code workflow}, {@code sleep} … */
  String kind();

  /** Returns the task that the step runs; empty if it runs none. */
  Optional<String> task();

  /** Returns the names of the steps that it depends on. */
  List<String> after();

  /** Returns the state of the step. */
  StepState state();

  /** Returns the job of the step; empty if it has none, or has not started. */
  Optional<JobId> job();

  /** Returns the child run of the step; empty if it has none. */
  Optional<RunId> child();

  /** Returns when the first attempt of its job started; empty if it has not. */
  Optional<Instant> startedAt();

  /** Returns when the step ended; empty if it has not. */
  Optional<Instant> endedAt();

  /** Returns how many attempts its job has made. */
  int attempts();

  /** Returns the failed attempts of its job. */
  List<FailedAttempt> failures();

  /** Returns the payload of its job, encoded. */
  Optional<String> input();

  /** Returns its output, encoded. */
  Optional<String> output();

  /** Returns why it failed: a code, and what happened. */
  Optional<String> failure();

  /** Returns how far a map has come; empty for other steps. */
  Optional<MapProgress> map();

  /** Returns why the step has not started or not ended; empty if it has ended. */
  Optional<String> waitsFor();

  /**
   * How far a map has come.
   *
   * @param total how many elements it has
   * @param succeeded how many of its jobs succeeded
   * @param failed how many failed
   * @param cancelled how many were cancelled
   */
  record MapProgress(int total, int succeeded, int failed, int cancelled) {}
}
