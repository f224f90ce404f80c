package dev.holdfast.engine.node;

import dev.holdfast.api.NodeMode;
import dev.holdfast.api.internal.Names;
import dev.holdfast.api.internal.Times;
import dev.holdfast.engine.claim.PollBackoff;
import dev.holdfast.engine.held.NodeIdentity;
import dev.holdfast.engine.rule.Router;
import dev.holdfast.engine.store.Upkeep;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * How a node behaves. Every setting is checked when the node is built.
 *
 * @param id what people call the node; defaults to host name and process id
 * @param name what else people call it; defaults to nothing
 * @param maxConcurrent how many jobs it runs at once, over all queues; defaults to 200
 * @param queues the queues it serves; defaults to {@code default} alone
 * @param router which executor runs which task; defaults to virtual threads for all
 * @param platformThreads the size of the executor {@code platform}; defaults to the number of cores
 * @param poll how often to look for work when nobody calls
 * @param liveness how it shows that it lives, and takes over from others
 * @param stacks which jobs of which fleets it serves, and how
 * @param retention how long ended jobs are kept; defaults to 14 days, 90 for the dead letter
 * @param resultLimit how large an encoded result may be, in bytes of UTF-8; defaults to 1 MiB
 * @param shutdownGrace how long {@code close} lets running jobs go on before it interrupts them;
 *     defaults to 25 s
 * @param hung what it does about handlers that ignore their interrupt
 */
public record NodeSettings(
    String id,
    @Nullable String name,
    int maxConcurrent,
    Map<String, QueueSettings> queues,
    Router router,
    int platformThreads,
    PollBackoff poll,
    LivenessSettings liveness,
    StackSettings stacks,
    Upkeep.Retention retention,
    int resultLimit,
    Duration shutdownGrace,
    HungSettings hung) {

  /**
   * How a node serves a queue.
   *
   * @param concurrency how many of its jobs the node runs at once; defaults to 100
   * @param prefetch how many more it holds ready to begin; defaults to 0. Prefetching saves the
   *     wait for a claim between short jobs, at the price of a second write for each.
   */
  public record QueueSettings(int concurrency, int prefetch) {
    public static final QueueSettings DEFAULT = new QueueSettings(100, 0);

    public QueueSettings {
      if (concurrency < 1) {
        throw new IllegalArgumentException(
            "A queue concurrency of %d is not valid: give at least 1.".formatted(concurrency));
      }
      if (prefetch < 0 || prefetch > 10_000) {
        throw new IllegalArgumentException(
            "A prefetch of %d is not valid: give 0 to 10000.".formatted(prefetch));
      }
    }
  }

  /**
   * Where a node belongs when several fleets share a database.
   *
   * @param stack its own fleet, which the jobs it makes belong to; defaults to none
   * @param serves the fleets whose jobs it runs, besides jobs of none; defaults to its own
   * @param mode what it does with work; defaults to all
   */
  public record StackSettings(@Nullable String stack, Set<String> serves, NodeMode mode) {
    public static final StackSettings NONE = new StackSettings(null, Set.of(), NodeMode.FULL);

    public StackSettings {
      serves = Set.copyOf(serves);
      serves.forEach(name -> Names.text("Stack", name));
      if (stack != null) {
        Names.text("Stack", stack);
      }
    }

    /** The fleets whose jobs it takes back, besides jobs of none; null for all. */
    @Nullable Set<String> sweeps() {
      if (stack == null) {
        return null;
      }
      Set<String> all = new TreeSet<>(serves);
      all.add(stack);
      return all;
    }
  }

  public NodeSettings {
    if (id.isBlank() || id.length() > NodeIdentity.LONGEST) {
      throw new IllegalArgumentException(
          "Node id '%s' is not valid: it has %d characters; give 1 to %d."
              .formatted(id, id.length(), NodeIdentity.LONGEST));
    }
    Names.text("Node id", id);
    if (name != null) {
      Names.text("Node name", name);
    }
    if (maxConcurrent < 1) {
      throw new IllegalArgumentException(
          "A node cannot run %d jobs at once: give at least 1.".formatted(maxConcurrent));
    }
    if (queues.isEmpty()) {
      throw new IllegalArgumentException("A node serves no queue: name at least one.");
    }
    queues.keySet().forEach(Names::queue);
    queues = Map.copyOf(queues);
    if (resultLimit < 1) {
      throw new IllegalArgumentException(
          "A result limit of %d is not valid: give at least 1; to keep no results, say keepResult(Duration.ZERO) for the task."
              .formatted(resultLimit));
    }
    shutdownGrace = Times.notNegative("A shutdown grace", shutdownGrace);
  }

  /** How many jobs it can run at once, over all of its queues. */
  int slots() {
    int inQueues = 0;
    for (QueueSettings queue : queues.values()) {
      inQueues = (int) Math.min(Integer.MAX_VALUE, (long) inQueues + queue.concurrency());
    }
    return Math.min(maxConcurrent, inQueues);
  }

  /** How the node serves one of its queues. */
  QueueSettings of(String queue) {
    return queues.getOrDefault(queue, QueueSettings.DEFAULT);
  }
}
