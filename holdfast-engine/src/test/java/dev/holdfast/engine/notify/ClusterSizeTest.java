package dev.holdfast.engine.notify;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ClusterSizeTest {
  private static long atOnce(int nodes, int jobs) {
    Random random = new Random(7);
    return IntStream.range(0, 10_000)
        .filter(i -> ClusterSize.delay(nodes, jobs, random.nextDouble()).isZero())
        .count();
  }

  @Test
  void inASmallClusterAllNodesActAtOnce() {
    for (int nodes = 0; nodes <= 4; nodes++) {
      assertThat(ClusterSize.delay(nodes, 1, 0.999)).isZero();
    }
    assertThat(ClusterSize.delay(5, 1, 0.999)).isPositive();
  }

  @Test
  void inALargeClusterAFewMoreNodesActAtOnceThanThereAreJobs() {
    assertThat(atOnce(100, 1)).isBetween(350L, 450L);
    assertThat(atOnce(100, 47)).isBetween(4_800L, 5_200L);
    assertThat(atOnce(100, 97)).isEqualTo(10_000);
    assertThat(atOnce(100, 0)).as("an unknown number of jobs").isEqualTo(10_000);
  }

  @Test
  void theOtherNodesFollowWithinATimeThatGrowsWithTheirNumberUpToHalfASecond() {
    assertThat(ClusterSize.delay(20, 1, 0.999))
        .isBetween(Duration.ofMillis(90), Duration.ofMillis(100));
    assertThat(ClusterSize.delay(20, 1, 0.201)).isLessThan(Duration.ofMillis(1));
    assertThat(ClusterSize.delay(1_000, 1, 0.9999))
        .isBetween(Duration.ofMillis(490), Duration.ofMillis(500));
  }
}
