package dev.holdfast.bench.ha;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.bench.chaos.Evidence.Effect;
import dev.holdfast.bench.ha.Failover.Return;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class FailoverTimesTest {
  private static final UUID OLD = new UUID(0, 1);
  private static final UUID NEW = new UUID(0, 2);
  private static final List<String> NODES = List.of("a", "b");

  /** Killed at 1 s, accepting writes again at 10 s, over at 20 s. */
  private final Failover failover = new Failover(seconds(1), seconds(10), seconds(20));

  private static long seconds(double seconds) {
    return (long) (seconds * 1e9);
  }

  private static Effect effect(UUID job, String node, double at) {
    return new Effect(job, 1, node, true, seconds(at));
  }

  @Test
  void theServiceIsBackWithTheFirstAcknowledgementAndTheFirstEffects() {
    Return returned =
        failover.returned(
            Map.of(OLD, seconds(0.5), NEW, seconds(11)),
            List.of(effect(OLD, "a", 10.5), effect(NEW, "b", 12), effect(NEW, "b", 13)),
            NODES);

    assertThat(returned.enqueue()).isEqualTo(Duration.ofSeconds(1));
    assertThat(returned.job()).isEqualTo(Duration.ofSeconds(2));
    assertThat(returned.allNodes()).isEqualTo(Duration.ofSeconds(2));
    assertThat(failover.outage()).isEqualTo(Duration.ofSeconds(9));
  }

  @Test
  void effectsBeforeTheNewPrimaryAcceptsWritesDoNotCount() {
    Return returned =
        failover.returned(
            Map.of(OLD, seconds(0.5)),
            List.of(effect(OLD, "a", 0.7), effect(OLD, "b", 9.9)),
            NODES);

    assertThat(returned).isEqualTo(new Return(Return.NEVER, Return.NEVER, Return.NEVER));
  }

  @Test
  void aNodeWithoutEffectsIsNotBack() {
    Return returned =
        failover.returned(
            Map.of(NEW, seconds(11)), List.of(effect(NEW, "a", 12), effect(NEW, "b", 21)), NODES);

    assertThat(returned.job()).isEqualTo(Duration.ofSeconds(2));
    assertThat(returned.allNodes()).isEqualTo(Return.NEVER);
  }

  @Test
  void theLongestTimesOfAllFailoversCount() {
    Return one = new Return(Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ofSeconds(6));
    Return other = new Return(Duration.ofSeconds(2), Duration.ofSeconds(3), Duration.ofSeconds(7));

    assertThat(one.longer(other))
        .isEqualTo(new Return(Duration.ofSeconds(2), Duration.ofSeconds(5), Duration.ofSeconds(7)));
  }
}
