package dev.holdfast.bench.chaos;

import dev.holdfast.bench.chaos.AttemptLog.Counts;
import dev.holdfast.bench.chaos.ChaosRun.Outcome;
import dev.holdfast.bench.chaos.Script.Kind;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

/**
 * The totals of one or more storms. A storm is one run with injected faults.
 *
 * @param blows how often each kind of fault was injected
 * @param settled the longest time from the last fault of a storm until its last job ended
 */
record ChaosTotals(
    int storms,
    long jobs,
    long runs,
    long effects,
    Map<Kind, Long> blows,
    Counts counts,
    Duration settled,
    Findings findings) {
  static final ChaosTotals NONE =
      new ChaosTotals(0, 0, 0, 0, Map.of(), Counts.NONE, Duration.ZERO, Findings.NONE);

  static ChaosTotals of(Outcome outcome) {
    Map<Kind, Long> blows = new EnumMap<>(Kind.class);
    for (Kind kind : Kind.values()) {
      blows.put(kind, outcome.script().count(kind));
    }
    return new ChaosTotals(
        1,
        outcome.jobs(),
        outcome.runs(),
        outcome.effects(),
        blows,
        outcome.counts(),
        outcome.settled(),
        outcome.findings());
  }

  long blows(Kind kind) {
    return blows.getOrDefault(kind, 0L);
  }

  ChaosTotals plus(ChaosTotals other) {
    Map<Kind, Long> both = new EnumMap<>(Kind.class);
    for (Kind kind : Kind.values()) {
      both.put(kind, blows(kind) + other.blows(kind));
    }
    return new ChaosTotals(
        storms + other.storms,
        jobs + other.jobs,
        runs + other.runs,
        effects + other.effects,
        both,
        counts.plus(other.counts),
        settled.compareTo(other.settled) >= 0 ? settled : other.settled,
        findings.plus(other.findings));
  }

  /** Returns a summary in one line. */
  @Override
  public String toString() {
    return "%d jobs, %d runs, %d effects, %d faults, %d fencings, %d recoveries, settled in %.1f s, %s"
        .formatted(
            jobs,
            runs,
            effects,
            blows.values().stream().mapToLong(Long::longValue).sum(),
            counts.fenced(),
            counts.recovered(),
            settled.toMillis() / 1e3,
            findings.none() ? "no findings" : findings.count() + " FINDINGS");
  }
}
