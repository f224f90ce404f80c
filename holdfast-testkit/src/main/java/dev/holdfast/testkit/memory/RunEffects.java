package dev.holdfast.testkit.memory;

import dev.holdfast.api.job.JobState;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.engine.store.RunAdvance;
import dev.holdfast.engine.store.RunControl;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What a transaction did to runs, collected for its report. */
final class RunEffects {
  final Map<String, Integer> ready = new TreeMap<>();
  final Map<RunId, RunState> ended = new TreeMap<>();

  /** The runs that have marks now. */
  final NavigableSet<RunId> look = new TreeSet<>();

  final Set<UUID> stopping = new LinkedHashSet<>();
  private @Nullable Duration nextTimer;

  /** Counts a job if it is READY. */
  void queued(JobRow row) {
    if (row.state == JobState.READY) {
      ready.merge(row.queue, 1, Integer::sum);
    }
  }

  void timer(Duration in) {
    nextTimer = nextTimer == null || in.compareTo(nextTimer) < 0 ? in : nextTimer;
  }

  RunAdvance.Report report(int advanced, Set<RunId> locked) {
    return new RunAdvance.Report(
        advanced, ready, ended, look, locked, Optional.ofNullable(nextTimer), stopping);
  }

  RunControl.Result done(RunState before) {
    return new RunControl.Result(Optional.of(before), true, look, ready, stopping);
  }

  /** Returns the result of an operation that did nothing. */
  static RunControl.Result nothing(@Nullable StoredRun run) {
    return new RunControl.Result(
        Optional.ofNullable(run).map(found -> found.state), false, Set.of(), Map.of(), Set.of());
  }
}
