package dev.holdfast.tck.simulation;

import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.JobQueries;
import dev.holdfast.engine.store.Journals.EntryKey;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Observes every job from outside the nodes and records the first violated invariant. */
final class InvariantChecker {
  private final Timeline timeline;
  private final JobQueries lookup;
  private final Map<JobId, Entry> jobs = new LinkedHashMap<>();
  private @Nullable Violation violation;
  private int effects;
  private boolean allEnded = true;

  /** The observed history of a job. */
  private static final class Entry {
    Job last;

    /** The job as it was before the last check. */
    Job before;

    /** The run whose step it executes, if any. */
    final @Nullable RunId run;

    /** Whether its run was retried after it ended, so that it may run again or be deleted. */
    boolean mayRunAgain;

    long latestEffect;
    final Set<EntryKey> journalled = new HashSet<>();
    final Set<Long> started = new HashSet<>();
    final Set<Long> completed = new HashSet<>();

    Entry(Job first, @Nullable RunId run) {
      this.run = run;
      this.last = first;
      this.before = first;
    }
  }

  InvariantChecker(Timeline timeline, JobQueries lookup) {
    this.timeline = timeline;
    this.lookup = lookup;
  }

  Optional<Violation> violation() {
    return Optional.ofNullable(violation);
  }

  int effects() {
    return effects;
  }

  /** Adds a job that was just enqueued. */
  void watch(JobId id) {
    watch(id, null);
  }

  /** Adds the job of a step of a run, unless it is known. */
  void watchStep(JobId id, RunId run) {
    if (!jobs.containsKey(id)) {
      watch(id, run);
    }
  }

  /** Records that a run was retried: its jobs that have ended may run again or be deleted. */
  void retried(RunId run) {
    for (Entry entry : jobs.values()) {
      if (run.equals(entry.run) && entry.last.state().hasEnded()) {
        entry.mayRunAgain = true;
      }
    }
  }

  private void watch(JobId id, @Nullable RunId run) {
    Job job = lookup.find(Set.of(id)).get(id);
    if (job == null) {
      violated(Invariant.NO_JOB_LOST, "Job %s was enqueued and cannot be found".formatted(id));
    } else {
      jobs.put(id, new Entry(job, run));
      allEnded = false;
    }
  }

  /** Records that the handler of a job starts. */
  void starts(JobId id, long token) {
    if (!entry(id).started.add(token)) {
      violated(
          Invariant.A_TOKEN_STARTS_ONCE,
          "Job %s started twice under token %d".formatted(id, token));
    }
    effect(id, token, "its handler started");
  }

  /** Records an externally visible effect under a token. */
  void effect(JobId id, long token, String what) {
    Entry entry = entry(id);
    effects++;
    if (token < entry.latestEffect) {
      violated(
          Invariant.NO_STALE_EFFECT,
          "Job %s: %s under token %d, after an effect of token %d"
              .formatted(id, what, token, entry.latestEffect));
    }
    entry.latestEffect = Math.max(entry.latestEffect, token);
  }

  /** Records that a durable step is executed. */
  void executes(JobId id, long token, String step) {
    if (entry(id).journalled.contains(new EntryKey(step, 1))) {
      violated(
          Invariant.DURABLE_STEPS_STAY_DONE,
          "Job %s executes step '%s' again under token %d".formatted(id, step, token));
    }
    effect(id, token, "durable step " + step);
  }

  /** Records that the store has accepted the result of a durable step. */
  void journalled(ClaimId claim, EntryKey key) {
    Entry entry = entry(claim.id());
    if (entry.last.state() != JobState.RUNNING || entry.last.fencingToken() != claim.token()) {
      violated(
          Invariant.DURABLE_STEPS_STAY_DONE,
          "Job %s is %s, and its step '%s' was stored under token %d"
              .formatted(claim.id(), state(entry.last), key.name(), claim.token()));
    }
    entry.journalled.add(key);
  }

  /** Records that the handler of a job has done all of its work. */
  void completes(JobId id, long token) {
    entry(id).completed.add(token);
  }

  /**
   * Records that a job was recovered. Another node may start it at once, so from now on there must
   * be no effect of its former holder.
   */
  void recovered(JobId id, long token) {
    Entry entry = entry(id);
    entry.latestEffect = Math.max(entry.latestEffect, token + 1);
  }

  private Entry entry(JobId id) {
    Entry entry = jobs.get(id);
    if (entry == null) {
      throw new IllegalStateException("No client enqueued job " + id);
    }
    return entry;
  }

  /**
   * Returns the token of a claim that ended between the last two checks.
   *
   * @return empty if the job was not claimed or still is
   */
  OptionalLong tokenThatEnded(JobId id) {
    Entry entry = entry(id);
    return entry.before.state().isHeld() && entry.last.state() != entry.before.state()
        ? OptionalLong.of(entry.before.fencingToken())
        : OptionalLong.empty();
  }

  /** Checks every job. Called after each call that may have changed jobs. */
  void check() {
    Map<JobId, Job> now = lookup.find(jobs.keySet());
    jobs.forEach((id, entry) -> {
      Job job = now.get(id);
      if (job == null && entry.mayRunAgain) {
        return; // A retry of its run has replaced it.
      }
      if (job == null) {
        violated(Invariant.NO_JOB_LOST, "Job %s was %s and is gone".formatted(id, entry.last));
        return;
      }
      compare(entry, job);
      if (job.state() == JobState.SUCCEEDED && !entry.completed.contains(job.fencingToken())) {
        violated(Invariant.SUCCESS_IS_COMPLETE, moved(entry.last, job));
      }
      entry.before = entry.last;
      entry.last = job;
    });
    allEnded = jobs.values().stream().allMatch(entry -> entry.last.state().hasEnded());
  }

  private void compare(Entry entry, Job after) {
    Job before = entry.last;
    if (after.fencingToken() < before.fencingToken()) {
      violated(Invariant.TOKENS_GROW, moved(before, after));
    }
    if (after.fencingToken() > before.fencingToken() && before.state().isHeld()) {
      violated(Invariant.NONE_HELD_TWICE, moved(before, after));
    }
    if (before.state() == JobState.CLAIMED
        && after.state() != JobState.RUNNING
        && (after.attempt() != before.attempt()
            || after.failures().size() != before.failures().size())) {
      violated(Invariant.CLAIMED_IS_FREE, moved(before, after));
    }
    if (before.state().hasEnded() && after.state() != before.state()) {
      if (!entry.mayRunAgain) {
        violated(Invariant.ENDED_STAYS_ENDED, moved(before, after));
      }
      entry.mayRunAgain = false;
    }
    if (after.state().hasEnded() && after.state() != JobState.FAILED) {
      entry.journalled.clear(); // The journal is kept only for a retry of the job.
    }
  }

  private static String moved(Job before, Job after) {
    return "Job %s went from %s to %s".formatted(before.id(), state(before), state(after));
  }

  private static String state(Job job) {
    return "%s (token %d, attempt %d, %d failures, node %s)"
        .formatted(
            job.state(), job.fencingToken(), job.attempt(), job.failures().size(), job.node());
  }

  /** Returns whether a job has started between the last two checks. */
  boolean hasJustStarted(JobId id) {
    Entry entry = entry(id);
    return entry.last.state() == JobState.RUNNING && entry.before.state() != JobState.RUNNING;
  }

  boolean hasEnded(JobId id) {
    return entry(id).last.state().hasEnded();
  }

  boolean allEnded() {
    return allEnded;
  }

  /** Expects that every job has ended. Called long after the last fault. */
  void expectAllEnded() {
    for (Entry entry : jobs.values()) {
      if (!entry.last.state().hasEnded()) {
        violated(
            Invariant.EVERY_JOB_ENDS,
            "Job %s is still %s".formatted(entry.last.id(), state(entry.last)));
      }
    }
  }

  void violated(Invariant invariant, String what) {
    if (violation == null) {
      violation = new Violation(invariant, Duration.ofNanos(timeline.now()), what);
    }
  }
}
