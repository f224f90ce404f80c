package dev.holdfast.tck.simulation;

import dev.holdfast.api.workflow.MaxActive;
import dev.holdfast.api.workflow.MaxActive.OnFull;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.engine.store.RunRow;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Observes how many runs are active behind each limit. A retry is the only way to exceed one: it
 * continues a run whatever the others do.
 */
final class GateChecker {
  private final InvariantChecker checker;
  private final Set<RunId> known = new HashSet<>();
  private final Set<RunId> admitted = new HashSet<>();

  /** A run behind a limit. */
  record Limited(MaxActive limit, RunRow row) {
    private boolean isQueued() {
      return row.state() == RunState.QUEUED;
    }

    private boolean isRoot() {
      return row.parent() == null;
    }
  }

  GateChecker(InvariantChecker checker) {
    this.checker = checker;
  }

  /** Checks all runs of workflows that have a limit. */
  void check(List<Limited> runs) {
    Map<String, List<Limited>> gates = new LinkedHashMap<>();
    for (Limited run : runs) {
      gates.computeIfAbsent(gateOf(run), gate -> new ArrayList<>()).add(run);
    }
    gates.values().forEach(this::checkGate);
  }

  private static String gateOf(Limited run) {
    String workflow = run.row.workflow();
    return run.limit.field() == null
        ? workflow
        : workflow + RunShapes.keyOf(Objects.requireNonNull(run.row.input()));
  }

  private void checkGate(List<Limited> runs) {
    long active = runs.stream().filter(run -> isActive(run.row.state())).count();
    for (Limited run : runs) {
      boolean isNew = known.add(run.row.id());
      if (run.isQueued()) {
        if (isNew && run.isRoot()) {
          checkQueued(run, runs);
        }
      } else if (admitted.add(run.row.id()) && isActive(run.row.state())) {
        checkAdmitted(run, active, isNew, runs);
      }
    }
  }

  private void checkAdmitted(Limited run, long active, boolean isNew, List<Limited> runs) {
    if (active > run.limit.count()) {
      violated(run, "was admitted, and %d are active".formatted(active));
    }
    runs.stream()
        .filter(other -> !isNew && other.isQueued() && other.isRoot())
        .filter(other -> other.row.id().compareTo(run.row.id()) < 0)
        .forEach(other -> violated(run, "was admitted before " + other.row.id()));
  }

  private void checkQueued(Limited run, List<Limited> runs) {
    if (run.limit.onFull() == OnFull.SKIP) {
      violated(run, "is queued");
    }
    runs.stream()
        .filter(other -> run.limit.onFull() == OnFull.REPLACE)
        .filter(other -> !other.row.id().equals(run.row.id()))
        .filter(other -> other.isQueued() || isActive(other.row.state()))
        .filter(other -> other.row.state() != RunState.CANCELLING)
        .forEach(other ->
            violated(run, "replaces %s, which is %s".formatted(other.row.id(), other.row.state())));
  }

  private static boolean isActive(RunState state) {
    return state != RunState.QUEUED && !state.hasEnded();
  }

  private void violated(Limited run, String what) {
    checker.violated(
        Invariant.LIMITS_ON_RUNS_HOLD,
        "Run %s of %s with %s %s".formatted(run.row.id(), run.row.workflow(), run.limit, what));
  }
}
