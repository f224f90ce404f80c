package dev.holdfast.testkit.memory;

import dev.holdfast.api.job.FailedAttempt;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.job.When;
import dev.holdfast.engine.codec.JobNotes;
import dev.holdfast.engine.store.JobSnapshot;
import dev.holdfast.engine.store.Journals;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.engine.store.RunIntake;
import dev.holdfast.engine.store.StepRef;
import dev.holdfast.engine.store.Suspicion;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The row of a job, which moves between tables as the state of the job changes.
 *
 * <p>All classes of this package access the fields directly, as statements access columns. Only
 * {@link Tables} changes {@link #state} and {@link #rank}, because its tables are ordered by them.
 */
final class JobRow {
  final JobId id;
  String task;
  final Instant createdAt;

  /** Orders jobs with equal ranks by the time of their enqueue. */
  final long sequence;

  /** Changes only while the job waits for the debounce time of its subject. */
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

  /** How many attempts were started and count. */
  int attempt;

  long token;

  /** The latest token for which an outcome was reported. A repeated report is recognised by it. */
  long finishedToken;

  @Nullable UUID holder;
  @Nullable String node;
  long claimNo;
  boolean cancelRequested;
  boolean releaseRequested;

  /** How many times its node died while the job was running. */
  int crashes;

  /** How many times its node fenced itself while the job was running. */
  int fencings;

  Suspicion suspicion = Suspicion.NONE;

  @Nullable String stack;
  @Nullable String source;
  @Nullable JobId parent;
  @Nullable StepRef step;

  /** The state from which a job went on hold. */
  @Nullable JobState heldFrom;

  /** The output of a step, kept with its run even if the result of the job is not kept. */
  @Nullable String output;

  /** The signal that a WAITING job awaits; null for none. */
  @Nullable String waitsFor;

  /** Its durable steps, in the order in which they were first written. */
  final Map<Journals.EntryKey, Journals.JournalEntry> journal = new LinkedHashMap<>();

  /** The signals that were sent to it, in the order of their arrival. */
  final List<SentSignal> signals = new ArrayList<>();

  @Nullable String notes;
  @Nullable Instant startedAt;
  @Nullable Instant endedAt;
  @Nullable String result;
  @Nullable Instant resultUntil;
  final List<FailedAttempt> failures = new ArrayList<>();

  /** A signal, and whether it was taken. */
  record SentSignal(RunIntake.NewSignal signal, boolean taken) {}

  JobRow(NewJob job, long sequence, Instant now) {
    this.id = job.id();
    this.task = job.content().task();
    this.unique = job.unique();
    this.createdAt = now;
    this.sequence = sequence;
    this.rank = now;
    carry(job, now);
  }

  /** Applies the options of an enqueue. */
  void carry(NewJob job, Instant now) {
    NewJob.Content content = job.content();
    queue = content.queue();
    priority = content.priority();
    payload = content.payload();
    tags = Set.copyOf(content.tags());
    policy = content.policy();
    stack = content.stamp().stack();
    source = content.stamp().source();
    parent = content.stamp().parent();
    step = content.stamp().step();
    runAt =
        switch (job.when()) {
          case When.Now() -> now;
          case When.After(var delay) -> now.plus(delay);
          case When.At(var time) -> time.isAfter(now) ? time : now;
        };
    startBy = content.startWithin() == null ? null : runAt.plus(content.startWithin());
  }

  boolean isOverdue(Instant now) {
    return startBy != null && !startBy.isAfter(now);
  }

  /** Returns whether the job has not started: it is not claimed, and no attempt or crash counts. */
  boolean hasNotStarted() {
    return !state.isHeld() && attempt == 0 && crashes == 0 && failures.isEmpty();
  }

  boolean isSuspect() {
    return suspicion != Suspicion.NONE;
  }

  /** Returns whether a signal of this name has arrived that was not taken. */
  boolean hasSignal(String name) {
    return signals.stream().anyMatch(sent -> !sent.taken() && sent.signal().name().equals(name));
  }

  boolean isDue(Instant now) {
    return !runAt.isAfter(now);
  }

  boolean passes(JobFilter filter) {
    return filter.admits(state)
        && (filter.queue() == null || filter.queue().equals(queue))
        && (filter.task() == null || filter.task().equals(task))
        && (filter.tag() == null || tags.contains(filter.tag()))
        && filter.admits(createdAt);
  }

  /** Returns the job as seen at a time; its result is omitted after its retention. */
  Job toJob(Instant now) {
    return new JobSnapshot(
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
        parent,
        JobNotes.read(notes).progress(),
        JobNotes.read(notes).log(),
        cancelRequested,
        createdAt,
        runAt,
        startBy,
        startedAt,
        endedAt,
        failures,
        step == null ? null : step.run().value());
  }
}
