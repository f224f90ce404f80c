package dev.holdfast.bench.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.holdfast.bench.chaos.ChaosRun.Outcome;
import dev.holdfast.bench.chaos.ChaosRun.Plan;
import dev.holdfast.bench.chaos.Script.Kind;
import dev.holdfast.embedded.EmbeddedPostgres;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/**
 * A short run with four nodes; {@code holdfast bench chaos} runs longer ones. Only on Linux, where
 * all processes share one monotonic clock. Another seed is set with {@code
 * -Dholdfast.chaos.seed=...}.
 */
@EnabledOnOs(OS.LINUX)
class ChaosTest {
  private static final long SEED = Long.getLong("holdfast.chaos.seed", 1);
  private static final String DATABASE = "chaos";

  private static final List<String> steps = new CopyOnWriteArrayList<>();
  private static Path folder;
  private static Outcome outcome;

  @BeforeAll
  static void storm() throws Exception {
    folder = Files.createTempDirectory("holdfast-chaos-");
    try (EmbeddedPostgres server = EmbeddedPostgres.temporary().start()) {
      server.createDatabase(DATABASE);
      outcome =
          new ChaosRun(server, DATABASE, folder, steps::add)
              .run(Plan.of(SEED, Duration.ofSeconds(35)));
    }
    if (outcome.findings().none()) {
      Traces.erase(folder);
    }
  }

  @Test
  void noJobIsLostFinishedTwiceOrOutOfOrder() {
    assertThat(outcome.findings().sentences())
        .as(
            "seed %d, traces in %s%n%s%n%s",
            SEED, folder, String.join("\n", steps), String.join("\n", outcome.stuck()))
        .isEmpty();
    assertThat(outcome.findings().none()).isTrue();
  }

  @Test
  void everyRunSucceedsInOrderAndCommitsItsTransactionsOnce() {
    assertThat(outcome.findings().wrongRuns()).isZero();
    assertThat(outcome.findings().earlySteps()).isZero();
    assertThat(outcome.findings().wrongBookings()).isZero();
  }

  @Test
  void everyKindOfFaultHappened() {
    assertThat(outcome.jobs()).isGreaterThan(500);
    assertThat(outcome.runs()).isGreaterThan(20);
    assertThat(outcome.counts().fenced()).isPositive();
    assertThat(outcome.counts().died()).isPositive();
    assertThat(outcome.counts().recovered()).isPositive();
  }

  @Test
  void aNodeSurvivedAWrongWallClock() throws Exception {
    assumeThat(FakeTime.library())
        .as("clocks were left out: libfaketime is not below /usr/lib")
        .isPresent();

    assertThat(outcome.script().count(Kind.CLOCK)).isPositive();
    assertThat(outcome.counts().clockShift()).isGreaterThan(Duration.ofMinutes(59).toMillis());
  }
}
