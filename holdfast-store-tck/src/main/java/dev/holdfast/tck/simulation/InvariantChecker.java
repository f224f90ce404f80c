package dev.holdfast.tck.simulation;

import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.engine.store.JobQueries;
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

    long latestEffect;
    final Set<Long> started = new HashSet<>();
    final Set<Long> completed = new HashSet<>();

    Entry(Job first) {
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
    Job job = lookup.find(Set.of(id)).get(id);
    if (job == null) {
      violated(Invariant.NO_JOB_LOST, "Job %s was enqueued and cannot be found".formatted(id));
    } else {
      jobs.put(id, new Entry(job));
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
      if (job == null) {
        violated(Invariant.NO_JOB_LOST, "Job %s was %s and is gone".formatted(id, entry.last));
        return;
      }
      compare(entry.last, job);
      if (job.state() == JobState.SUCCEEDED && !entry.completed.contains(job.fencingToken())) {
        violated(Invariant.SUCCESS_IS_COMPLETE, moved(entry.last, job));
      }
      entry.before = entry.last;
      entry.last = job;
    });
    allEnded = jobs.values().stream().allMatch(entry -> entry.last.state().hasEnded());
  }

  private void compare(Job before, Job after) {
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
      violated(Invariant.ENDED_STAYS_ENDED, moved(before, after));
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
