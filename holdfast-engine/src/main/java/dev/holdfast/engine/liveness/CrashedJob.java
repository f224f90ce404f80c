package dev.holdfast.engine.liveness;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.task.RecoveryPolicy;
import dev.holdfast.engine.liveness.CrashDecisions.Loss;
import dev.holdfast.engine.store.JobQueries;
import dev.holdfast.engine.store.Recovery.Orphan;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A crash as a recovery policy sees it. The job is read only if the policy asks for its payload or
 * tags: a sweep may find a hundred thousand jobs, and payloads may be large.
 *
 * @param row the job as stored
 * @param decode decodes the payload
 */
record CrashedJob<P>(
    JobId job,
    String task,
    String queue,
    int crashes,
    int attempt,
    String holder,
    Duration sinceLastHeartbeat,
    Supplier<Job> row,
    Function<String, @Nullable P> decode)
    implements RecoveryPolicy.Crash<P> {

  static <P> CrashedJob<P> of(
      Orphan orphan, Loss loss, JobQueries jobs, Function<String, @Nullable P> decode) {
    return new CrashedJob<>(
        orphan.id(),
        orphan.task(),
        orphan.queue(),
        orphan.crashes() + 1,
        orphan.attempt(),
        loss.id(),
        loss.silence(),
        new ReadOnce(jobs, orphan.id()),
        decode);
  }

  @Override
  public @Nullable P payload() {
    String text = row.get().payload();
    return text == null ? null : decode.apply(text);
  }

  @Override
  public Set<String> tags() {
    return row.get().tags();
  }

  /** Reads a job when it is first needed. A policy may use any number of threads. */
  private static final class ReadOnce implements Supplier<Job> {
    private final JobQueries jobs;
    private final JobId id;
    private @Nullable Job read;

    ReadOnce(JobQueries jobs, JobId id) {
      this.jobs = jobs;
      this.id = id;
    }

    @Override
    public synchronized Job get() {
      Job known = read;
      if (known == null) {
        known = jobs.find(List.of(id)).get(id);
        if (known == null) {
          throw new StoreException(
              StoreException.Outcome.RETRYABLE,
              "Job %s was not found, so its recovery policy cannot see its payload and tags."
                  .formatted(id),
              null);
        }
        read = known;
      }
      return known;
    }
  }
}
