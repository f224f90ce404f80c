package dev.holdfast.testkit.assertion;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.Page;
import dev.holdfast.api.codec.PayloadCodec;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.codec.JsonCodec;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Assertions about the jobs of a store. Each reads the store again. */
public final class JobsAssert {
  private static final int PAGE = 1_000;
  private static final int MOST_SHOWN = 20;

  private final Holdfast holdfast;
  private PayloadCodec codec = new JsonCodec();

  JobsAssert(Holdfast holdfast) {
    this.holdfast = holdfast;
  }

  /** Sets the codec that payloads are decoded with. Defaults to JSON. */
  public JobsAssert codec(PayloadCodec own) {
    this.codec = own;
    return this;
  }

  /**
   * Asserts that at least one job of this task was enqueued. The methods of the result narrow down
   * which jobs are meant.
   *
   * @throws AssertionError if there is none; the message lists the jobs that were enqueued
   */
  public <P> EnqueuedAssert<P> enqueued(TaskType<P, ?> type) {
    return new EnqueuedAssert<>(this, type, jobsOf(type));
  }

  /**
   * Asserts that no job of this task was enqueued.
   *
   * @throws AssertionError if there is one; the message lists the jobs that were enqueued
   */
  public JobsAssert notEnqueued(TaskType<?, ?> type) {
    int found = jobsOf(type).size();
    if (found > 0) {
      throw failure(
          "Expected no job of task '%s', but there %s."
              .formatted(type.name(), found == 1 ? "is 1" : "are " + found));
    }
    return this;
  }

  PayloadCodec codec() {
    return codec;
  }

  private List<Job> jobsOf(TaskType<?, ?> type) {
    JobFilter filter = JobFilter.all().task(type.name());
    List<Job> all = new ArrayList<>();
    List<Job> page = holdfast.list(filter, Page.first(PAGE));
    while (!page.isEmpty()) {
      all.addAll(page);
      page = holdfast.list(filter, Page.after(all.getLast().id(), PAGE));
    }
    return all;
  }

  /** Returns an error that lists what was enqueued instead. */
  AssertionError failure(String message) {
    List<Job> jobs = holdfast.list(JobFilter.all(), Page.first(MOST_SHOWN + 1));
    if (jobs.isEmpty()) {
      return new AssertionError(message + " Nothing was enqueued.");
    }
    String list =
        jobs.stream().limit(MOST_SHOWN).map(JobsAssert::describe).collect(Collectors.joining("\n"));
    return new AssertionError(
        "%s Enqueued jobs, newest first:\n%s%s"
            .formatted(message, list, jobs.size() > MOST_SHOWN ? "\n  and more" : ""));
  }

  private static String describe(Job job) {
    return "  %s %s in queue '%s', %s%s"
        .formatted(
            job.task(),
            job.payload(),
            job.queue(),
            job.tags().isEmpty()
                ? ""
                : "tags %s, ".formatted(job.tags().stream().sorted().toList()),
            job.state());
  }
}
