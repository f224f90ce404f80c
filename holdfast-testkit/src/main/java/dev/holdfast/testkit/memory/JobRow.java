package dev.holdfast.testkit.memory;

import dev.holdfast.api.job.FailedAttempt;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.job.When;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.engine.store.Suspicion;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The row of a job, which moves from table to table as the job lives and ends.
 *
 * <p>Its fields are open to the classes of this package, as columns are to statements; only {@link
 * Tables} changes {@link #state} and {@link #rank}, because its tables are ordered by them.
 */
final class JobRow {
  final JobId id;
  final String task;
  final Instant createdAt;

  /** Breaks ties between equal ranks: first come, first served. */
  final long sequence;

  /** Changes only while its job waits for a subject to be quiet. */
  @Nullable UniqueKey unique;

  String queue;
  int priority;
  @Nullable String payload;
  Set<String> tags;
  @Nullable String policy;
  Instant runAt;
  @Nullable Instant startBy;

  JobState state = JobState.SCHEDULED;
  Instant rank;

  /** How many attempts were begun and count. */
  int attempt;

  long token;

  /**
   * The latest token whose holder reported how it ended: a repeat of that report is known by it.
   */
  long finishedToken;

  @Nullable UUID holder;
  @Nullable String node;
  long claimNo;
  boolean cancelRequested;
  boolean releaseRequested;

  /** How many times its node died while it ran. */
  int crashes;

  /** How many times its node fenced itself while it ran. */
  int fencings;

  Suspicion suspicion = Suspicion.NONE;

  @Nullable String stack;
  @Nullable String source;
  @Nullable Instant startedAt;
  @Nullable Instant endedAt;
  @Nullable String result;
  @Nullable Instant resultUntil;
  final List<FailedAttempt> failures = new ArrayList<>();

  JobRow(NewJob job, long sequence, Instant now) {
    this.id = job.id();
    this.task = job.task();
    this.unique = job.unique();
    this.createdAt = now;
    this.sequence = sequence;
    this.rank = now;
    carry(job, now);
  }

  /** Take over what a request says about how to run the job. */
  void carry(NewJob job, Instant now) {
    queue = job.queue();
    priority = job.priority();
    payload = job.payload();
    tags = Set.copyOf(job.tags());
    policy = job.policy();
    stack = job.stamp().stack();
    source = job.stamp().source();
    runAt =
        switch (job.when()) {
          case When.Now() -> now;
          case When.After(var delay) -> now.plus(delay);
          case When.At(var time) -> time.isAfter(now) ? time : now;
        };
    startBy = job.startWithin() == null ? null : runAt.plus(job.startWithin());
  }

  boolean isOverdue(Instant now) {
    return startBy != null && !startBy.isAfter(now);
  }

  /** Whether nobody holds it, and nothing that was tried counts. */
  boolean hasNotStarted() {
    return !state.isHeld() && attempt == 0 && crashes == 0 && failures.isEmpty();
  }

  boolean isSuspect() {
    return suspicion != Suspicion.NONE;
  }

  boolean isDue(Instant now) {
    return !runAt.isAfter(now);
  }

  boolean passes(JobFilter filter) {
    return filter.admits(state)
        && (filter.queue() == null || filter.queue().equals(queue))
        && (filter.task() == null || filter.task().equals(task))
        && (filter.tag() == null || tags.contains(filter.tag()));
  }

  /** The job as it is seen at a time: a result is not shown after its own. */
  Job toJob(Instant now) {
    return new Job(
        id,
        task,
        queue,
        state,
        priority,
        payload,
        resultUntil != null && !resultUntil.isAfter(now) ? null : result,
        tags,
        unique == null ? null : unique.value(),
        attempt,
        token,
        node,
        stack,
        source,
        cancelRequested,
        createdAt,
        runAt,
        startBy,
        startedAt,
        endedAt,
        failures);
  }
}
