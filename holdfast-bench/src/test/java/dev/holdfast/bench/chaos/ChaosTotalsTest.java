package dev.holdfast.bench.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.bench.chaos.AttemptLog.Counts;
import dev.holdfast.bench.chaos.Script.Kind;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ChaosTotalsTest {
  private static final ChaosTotals CALM =
      new ChaosTotals(
          1,
          100,
          20,
          250,
          Map.of(Kind.KILL, 2L),
          new Counts(1, 2, 3, 4, 0),
          Duration.ofSeconds(9),
          Findings.NONE);
  private static final ChaosTotals BAD =
      new ChaosTotals(
          1,
          10,
          3,
          20,
          Map.of(Kind.KILL, 1L, Kind.PAUSE, 5L),
          new Counts(1, 1, 1, 1, 0),
          Duration.ofSeconds(4),
          Findings.ofJobs(1, 0, 0, 1, 0, List.of("a", "b"))
              .plus(Findings.ofRuns(0, 1, 0, List.of("c"))));

  @Test
  void totalsAddUp() {
    ChaosTotals both = ChaosTotals.NONE.plus(CALM).plus(BAD);

    assertThat(both.storms()).isEqualTo(2);
    assertThat(both.jobs()).isEqualTo(110);
    assertThat(both.runs()).isEqualTo(23);
    assertThat(both.effects()).isEqualTo(270);
    assertThat(both.blows(Kind.KILL)).isEqualTo(3);
    assertThat(both.blows(Kind.PAUSE)).isEqualTo(5);
    assertThat(both.blows(Kind.CLOCK)).isZero();
    assertThat(both.counts()).isEqualTo(new Counts(2, 3, 4, 5, 0));
    assertThat(both.settled()).isEqualTo(Duration.ofSeconds(9));
  }

  @Test
  void oneFailedRunFailsTheTotal() {
    assertThat(CALM)
        .hasToString(
            "100 jobs, 20 runs, 250 effects, 2 faults, 1 fencings, 3 recoveries, settled in 9.0 s,"
                + " no findings");
    assertThat(CALM.plus(BAD).findings().none()).isFalse();
    assertThat(CALM.plus(BAD).toString()).endsWith("3 FINDINGS");
  }
}
