package dev.holdfast.bench.ha;

import dev.holdfast.bench.chaos.Evidence.Effect;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/**
 * One failover, on the monotonic clock that all processes of a machine share.
 *
 * @param killed when the primary was killed
 * @param accepted when the new primary first accepted a write
 * @param over when the next failover or the end of the load was allowed to follow
 */
record Failover(long killed, long accepted, long over) {

  /**
   * How long after the new primary accepted writes the service was back.
   *
   * @param enqueue until an enqueue was acknowledged
   * @param job until a job ran that was acknowledged after the failover
   * @param allNodes until every node had run a job
   */
  record Return(Duration enqueue, Duration job, Duration allNodes) {
    /** What did not return until the next failover. */
    static final Duration NEVER = Duration.ofMinutes(10);

    Return longer(Return other) {
      return new Return(
          max(enqueue, other.enqueue), max(job, other.job), max(allNodes, other.allNodes));
    }

    private static Duration max(Duration one, Duration other) {
      return one.compareTo(other) >= 0 ? one : other;
    }
  }

  Duration outage() {
    return Duration.ofNanos(accepted - killed);
  }

  /**
   * Finds out when the service was back.
   *
   * @param acknowledged the acknowledged jobs, with the time of the acknowledgement
   * @param nodes the attempt logs of all nodes
   */
  Return returned(
      Map<UUID, Long> acknowledged, Collection<Effect> effects, Collection<String> nodes) {
    long enqueue =
        acknowledged.values().stream().filter(this::after).mapToLong(at -> at).min().orElse(over);
    long job = over;
    Map<String, Long> firsts = new HashMap<>();
    nodes.forEach(node -> firsts.put(node, over));
    for (Effect effect : effects) {
      if (after(effect.nanos())) {
        firsts.merge(effect.process(), effect.nanos(), Math::min);
        Long known = acknowledged.get(effect.job());
        if (known != null && after(known)) {
          job = Math.min(job, effect.nanos());
        }
      }
    }
    long last = firsts.values().stream().mapToLong(at -> at).max().orElse(over);
    return new Return(since(enqueue), since(job), since(last));
  }

  private boolean after(long at) {
    return at > accepted && at < over;
  }

  private Duration since(long at) {
    return at >= over ? Return.NEVER : Duration.ofNanos(at - accepted);
  }
}
