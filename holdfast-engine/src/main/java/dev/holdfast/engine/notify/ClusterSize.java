package dev.holdfast.engine.notify;

import java.time.Duration;
import java.util.Map;

/**
 * How many nodes receive the same signals, and which of them act at once.
 *
 * <p>One new job needs one node. If a hundred nodes looked for it at the same moment, ninety-nine
 * would query the database for each new job and find nothing. So a few nodes, chosen at random, act
 * at once, and the others a little later: all of them together then query at most a few hundred
 * times a second, no matter how many nodes there are and how many jobs are announced. A node that
 * acts late is still needed, since those that acted at once may be full or unable to run the job.
 * In a small cluster all nodes act at once.
 */
public final class ClusterSize {
  /** How many nodes act at once, in addition to one for each job: some may be full, or gone. */
  private static final int SPARE = 3;

  /** How much the longest delay grows with each node. */
  private static final Duration PER_NODE = Duration.ofMillis(5);

  private static final Duration LONGEST = Duration.ofMillis(500);

  private volatile int nodes = 1;
  private volatile Map<String, Integer> servers = Map.of();

  /** Records how many nodes are alive, and how many of them serve each queue. */
  public void seen(int live, Map<String, Integer> serving) {
    this.nodes = live;
    this.servers = Map.copyOf(serving);
  }

  /** Returns how many nodes are alive. */
  public int nodes() {
    return nodes;
  }

  /** Returns how many nodes serve a queue. */
  public int serving(String queue) {
    return servers.getOrDefault(queue, 1);
  }

  /**
   * Returns how long one of several nodes should wait before it does what any of them can do.
   *
   * @param nodes how many nodes there are
   * @param jobs how many jobs are available; 0 if that is not known
   * @param chance a random number from 0 to 1
   */
  public static Duration delay(int nodes, int jobs, double chance) {
    double atOnce = jobs == 0 ? 1 : Math.min(1, (double) (jobs + SPARE) / Math.max(1, nodes));
    if (chance < atOnce) {
      return Duration.ZERO;
    }
    double share = (chance - atOnce) / (1 - atOnce);
    return Duration.ofNanos((long) (share * longest(nodes).toNanos()));
  }

  /** Returns how long the last of the given number of nodes waits. */
  public static Duration longest(int nodes) {
    Duration scaled = PER_NODE.multipliedBy(nodes);
    return scaled.compareTo(LONGEST) < 0 ? scaled : LONGEST;
  }
}
