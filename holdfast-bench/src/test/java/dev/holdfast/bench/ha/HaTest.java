package dev.holdfast.bench.ha;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.bench.chaos.Traces;
import dev.holdfast.bench.ha.HaRun.Outcome;
import dev.holdfast.bench.ha.HaRun.Plan;
import dev.holdfast.bench.ha.Pooler.Mode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/**
 * One failover of a real cluster under load; {@code holdfast bench ha} has more of them, also
 * behind PgBouncer. Only on Linux, where all processes share one monotonic clock.
 */
@EnabledOnOs(OS.LINUX)
class HaTest {
  private static final List<String> steps = new CopyOnWriteArrayList<>();
  private static Path folder;
  private static Outcome outcome;

  @BeforeAll
  static void failOver() throws Exception {
    Optional<String> missing = Installation.missing();
    assumeTrue(missing.isEmpty(), () -> missing.orElse(""));
    folder = Files.createTempDirectory("holdfast-ha-");
    try (FailoverCluster cluster = FailoverCluster.create()) {
      outcome =
          new HaRun(cluster, Mode.DIRECT, folder, steps::add)
              .run(new Plan(List.of(Duration.ofSeconds(3)), false));
    }
    if (outcome.clean()) {
      Traces.erase(folder);
    }
  }

  @Test
  void noAcknowledgedJobIsLostAndNoStaleWriteIsAccepted() {
    assertThat(outcome.verified().findings().sentences())
        .as(
            "traces in %s%n%s%n%s",
            folder, String.join("\n", steps), String.join("\n", outcome.verified().stuck()))
        .isEmpty();
    assertThat(outcome.verified().findings().none()).isTrue();
    assertThat(outcome.verified().acknowledged()).hasSizeGreaterThan(100);
    assertThat(outcome.verified().runs()).isPositive();
  }

  @Test
  void nodesContinueWithoutARestart() {
    assertThat(outcome.restarts()).isZero();
    assertThat(outcome.returned().allNodes()).isLessThan(Failover.Return.NEVER);
  }

  @Test
  void theServiceIsBackSoonAfterTheNewPrimaryAcceptsWrites() {
    assertThat(outcome.outages()).singleElement().isNotEqualTo(Duration.ZERO);
    // The bar of the bench is 5 s; here other tests may use all cores at the same time.
    assertThat(outcome.returned().enqueue()).isLessThan(Duration.ofSeconds(8));
    assertThat(outcome.returned().job()).isLessThan(Duration.ofSeconds(8));
  }
}
