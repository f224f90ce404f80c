package dev.holdfast.tck.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.EnumSource.Mode.EXCLUDE;

import dev.holdfast.tck.simulation.Simulation.Focus;
import dev.holdfast.tck.simulation.Simulation.Report;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The invariants of the engine hold under random faults.
 *
 * <p>To replay a seed and read what happened: {@code -Dholdfast.seed=4711}. To run more seeds than
 * the build: {@code -Dholdfast.seeds=1000000}.
 */
class SimulationTest {
  private static final String SEED = "holdfast.seed";
  private static final int MOST_TOLD = 5;
  private static final int MOST_STORIES = 1_000;

  @Test
  @DisabledIfSystemProperty(named = SEED, matches = ".+")
  void noSeedViolatesAnInvariant() {
    List<Report> broken =
        LongStream.range(0, Long.getLong("holdfast.seeds", 10_000))
            .parallel()
            .mapToObj(Simulation::run)
            .filter(report -> report.violation().isPresent())
            .limit(MOST_TOLD)
            .toList();
    assertThat(broken).as(() -> broken.isEmpty() ? "" : howToReplay(broken.get(0))).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(mode = EXCLUDE, names = "EVERYTHING")
  @DisabledIfSystemProperty(named = SEED, matches = ".+")
  void oneKindOfFaultRepeatedlyViolatesNoInvariant(Focus focus) {
    assertThat(
            LongStream.range(0, 500)
                .parallel()
                .mapToObj(seed -> Simulation.run(seed, PlantedBug.NONE, focus))
                .flatMap(report -> report.violation().stream()))
        .isEmpty();
  }

  private static String howToReplay(Report report) {
    return "Seed %d breaks a promise. Replay it and read what happened: mvn -B -pl holdfast-store-tck -am test -Dtest=SimulationTest -Dsurefire.failIfNoSpecifiedTests=false -Dholdfast.seed=%d"
        .formatted(report.seed(), report.seed());
  }

  @Test
  void theGivenSeedViolatesNoInvariant() {
    Report report = Simulation.runWithTrace(Long.getLong(SEED, 0), PlantedBug.NONE);
    assertThat(report.violation()).as(() -> String.join("\n", report.traceLines())).isEmpty();
  }

  @Test
  void aSeedReplaysExactly() {
    for (long seed = 0; seed < 20; seed++) {
      Report told = Simulation.runWithTrace(seed, PlantedBug.NONE);
      assertThat(Simulation.runWithTrace(seed, PlantedBug.NONE)).isEqualTo(told);
      assertThat(Simulation.run(seed).digest()).isEqualTo(told.digest());
    }
  }

  @Test
  void seedsDiffer() {
    assertThat(LongStream.range(0, 20).map(seed -> Simulation.run(seed).digest()).distinct())
        .hasSize(20);
  }

  @Test
  void everyKindOfFaultHappens() {
    String stories =
        String.join(
            "\n",
            LongStream.range(0, 100)
                .mapToObj(seed -> Simulation.runWithTrace(seed, PlantedBug.NONE))
                .flatMap(report -> report.traceLines().stream())
                .toList());
    assertThat(stories)
        .contains(
            "suffers CRASH",
            "suffers PAUSE",
            "suffers SUSPENSION",
            "suffers PARTITION",
            "suffers OUTAGE",
            "suffers READ_ONLY",
            "suffers SLOW_STORE",
            "suffers DATABASE_CLOCK",
            "suffers WALL_CLOCK",
            "suffers FENCING",
            "crashes in the middle of a call",
            "is paused in the middle of a call",
            "competitor declares",
            "competitor recovers",
            "client is late with",
            "client requeues",
            "acquires the lease",
            "markDead",
            "AfterCrash",
            "NotStarted",
            "giveBack");
  }

  @Test
  void everyKindOfRequestForRunsHappens() {
    Set<String> missing =
        new HashSet<>(
            List.of(
                "requests START",
                "requests PAUSE",
                "requests RESUME",
                "requests CANCEL",
                "requests RETRY",
                "requests RERUN",
                "requests MOVE",
                "requests SIGNAL",
                "requests SIGNAL_JOB",
                "task=simulated::step",
                "task=simulated::durable",
                "task=simulated::undo",
                "task=simulated::last",
                "STEP_WAITING",
                "item=1",
                "=SUCCEEDED}",
                "=FAILED}",
                "=CANCELLED}",
                "Parked[",
                "READY_INSTEAD",
                "onFull=QUEUE",
                "onFull=REPLACE",
                "outcome=SKIPPED",
                "queued=true",
                "kind=DEADLINE",
                "kind=TRANSACTION",
                "DEADLINE: the run did not end"));
    for (long seed = 0; seed < MOST_STORIES && !missing.isEmpty(); seed++) {
      String story = String.join("\n", Simulation.runWithTrace(seed, PlantedBug.NONE).traceLines());
      missing.removeIf(story::contains);
    }
    assertThat(missing).isEmpty();
  }
}
