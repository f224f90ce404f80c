package dev.holdfast.engine.node;

import dev.holdfast.api.NodeMode;
import dev.holdfast.api.internal.Names;
import dev.holdfast.api.internal.Times;
import dev.holdfast.engine.claim.PollBackoff;
import dev.holdfast.engine.held.NodeIdentity;
import dev.holdfast.engine.rule.Router;
import dev.holdfast.engine.run.HungSettings;
import dev.holdfast.engine.store.Stacks;
import dev.holdfast.engine.store.Upkeep;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a node, validated when the node is built. {@link NodeBuilder} describes the
 * trade-offs.
 *
 * @param id the id of the node; defaults to host name and process id
 * @param name its display name; defaults to none
 * @param maxConcurrent how many jobs it runs at the same time, over all queues; defaults to 200
 * @param queues the queues it serves; defaults to {@code default} alone
 * @param router which executor runs which task; defaults to virtual threads for all
 * @param platformThreads the size of the executor {@code platform}; defaults to the number of
 *     available processors
 * @param poll how often to poll for work when no notification arrives; defaults to {@link
 *     PollBackoff#DEFAULT}
 * @param liveness heartbeats, timeouts and recovery; defaults to {@link LivenessSettings#DEFAULT}
 * @param stacks the stack of the node, the stacks it serves, and its mode; defaults to {@link
 *     StackSettings#NONE}
 * @param retention how long ended jobs are kept; defaults to 14 days, and to 90 days for
 *     dead-lettered jobs
 * @param resultLimit the largest size of an encoded result, in bytes of UTF-8; defaults to 1 MiB
 * @param shutdownGrace how long {@code close} lets running jobs continue before it interrupts them;
 *     defaults to 25 s
 * @param hung what the node does about hung handlers; defaults to {@link HungSettings#DEFAULT}
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
    Supplier<Upkeep.Retention> retention,
    int resultLimit,
    Duration shutdownGrace,
    HungSettings hung) {

  /**
   * How a node serves a queue.
   *
   * @param concurrency how many of its jobs the node runs at the same time; defaults to 100
   * @param prefetch how many more jobs the node claims ahead at most; defaults to empty, which lets
   *     the node choose: as many as will find a free slot when the claim returns. A number above 0
   *     costs a second write for each job, and 0 turns claiming ahead off.
   */
  public record QueueSettings(int concurrency, OptionalInt prefetch) {
    public static final QueueSettings DEFAULT = new QueueSettings(100, OptionalInt.empty());

    public QueueSettings {
      if (concurrency < 1) {
        throw new IllegalArgumentException(
            "A queue concurrency of %d is not valid: use at least 1.".formatted(concurrency));
      }
      if (prefetch.isPresent() && (prefetch.getAsInt() < 0 || prefetch.getAsInt() > 10_000)) {
        throw new IllegalArgumentException(
            "A prefetch of %d is not valid: use 0 to 10000.".formatted(prefetch.getAsInt()));
      }
    }
  }

  /**
   * Where a node belongs when several stacks share a database.
   *
   * @param stack its own stack, which the jobs it enqueues belong to; defaults to none
   * @param serves the stacks whose jobs it runs, in addition to jobs without a stack, or {@link
   *     Stacks#ALL}; defaults to its own
   * @param mode the mode it starts in; defaults to {@link NodeMode#FULL}
   */
  public record StackSettings(@Nullable String stack, Set<String> serves, NodeMode mode) {
    public static final StackSettings NONE = new StackSettings(null, Set.of(), NodeMode.FULL);

    public StackSettings {
      serves = Set.copyOf(serves);
      serves.forEach(name -> Names.text("Stack", name));
      if (stack != null) {
        checked(stack);
      }
    }

    /** Returns the name of a stack, or throws if it is not valid. */
    static String checked(String name) {
      if (name.equals(Stacks.ANY)) {
        throw new IllegalArgumentException(
            "Stack '%s' is not valid: it stands for all stacks. Use another name, or serveAllStacks() to serve all of them."
                .formatted(name));
      }
      return Names.text("Stack", name);
    }

    /**
     * Returns the stacks whose jobs the node recovers, in addition to jobs without a stack; null
     * for all.
     */
    @Nullable Set<String> sweeps() {
      if (stack == null || Stacks.areAll(serves)) {
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
          "Node id '%s' is not valid: it has %d characters; use 1 to %d."
              .formatted(id, id.length(), NodeIdentity.LONGEST));
    }
    Names.text("Node id", id);
    if (name != null) {
      Names.text("Node name", name);
    }
    if (maxConcurrent < 1) {
      throw new IllegalArgumentException(
          "A concurrency of %d for a node is not valid: use at least 1.".formatted(maxConcurrent));
    }
    if (queues.isEmpty()) {
      throw new IllegalArgumentException("The node serves no queue: name at least one.");
    }
    queues.keySet().forEach(Names::queue);
    queues = Map.copyOf(queues);
    if (resultLimit < 1) {
      throw new IllegalArgumentException(
          "A result limit of %d is not valid: use at least 1; to keep no results, set keepResult(Duration.ZERO) for the task."
              .formatted(resultLimit));
    }
    shutdownGrace = Times.notNegative("A shutdown grace", shutdownGrace);
  }

  /** Returns how many jobs the node can run at the same time, over all of its queues. */
  int slots() {
    int inQueues = 0;
    for (QueueSettings queue : queues.values()) {
      inQueues = (int) Math.min(Integer.MAX_VALUE, (long) inQueues + queue.concurrency());
    }
    return Math.min(maxConcurrent, inQueues);
  }

  /** Returns the settings for a queue. */
  QueueSettings of(String queue) {
    return queues.getOrDefault(queue, QueueSettings.DEFAULT);
  }
}
