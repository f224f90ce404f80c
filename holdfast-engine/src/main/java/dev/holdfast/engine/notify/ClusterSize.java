package dev.holdfast.engine.notify;

import java.time.Duration;
import java.util.Map;

/**
 * How many nodes hear the same signals, and which of them act at once.
 *
 * <p>One new job needs one node. If all of a hundred nodes looked for it at the same moment, ninety
 * nine would ask the database in vain, for every job. So a few act at once, chosen by chance, and
 * the others a little later: all of them together then look at most a few hundred times a second,
 * however many nodes there are and however many jobs are announced. A node that acts late is still
 * needed, since those that acted at once may be full or unable to run the job. With a few nodes all
 * act at once.
 */
public final class ClusterSize {
  /** How many nodes act at once, beyond one for each job: some may be full, or gone. */
  private static final int SPARE = 3;

  /** How much longer the last node waits for each node that there is. */
  private static final Duration PER_NODE = Duration.ofMillis(5);

  private static final Duration LONGEST = Duration.ofMillis(500);

  private volatile int nodes = 1;
  private volatile Map<String, Integer> servers = Map.of();

  /** Note how many nodes live, and how many of them serve each queue. */
  public void seen(int live, Map<String, Integer> serving) {
    this.nodes = live;
    this.servers = Map.copyOf(serving);
  }

  /** How many nodes live. */
  public int nodes() {
    return nodes;
  }

  /** How many nodes serve a queue. */
  public int serving(String queue) {
    return servers.getOrDefault(queue, 1);
  }

  /**
   * How long one of several nodes should wait before it does what any of them can do.
   *
   * @param nodes how many there are
   * @param jobs for how many of them there is work; 0 if that is not known
   * @param chance a number from 0 to 1
   */
  public static Duration delay(int nodes, int jobs, double chance) {
    double atOnce = jobs == 0 ? 1 : Math.min(1, (double) (jobs + SPARE) / Math.max(1, nodes));
    if (chance < atOnce) {
      return Duration.ZERO;
    }
    double share = (chance - atOnce) / (1 - atOnce);
    return Duration.ofNanos((long) (share * longest(nodes).toNanos()));
  }

  /** How long the last of so many nodes waits. */
  public static Duration longest(int nodes) {
    Duration scaled = PER_NODE.multipliedBy(nodes);
    return scaled.compareTo(LONGEST) < 0 ? scaled : LONGEST;
  }
}
