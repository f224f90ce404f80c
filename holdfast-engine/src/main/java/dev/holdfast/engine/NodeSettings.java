package dev.holdfast.engine;

import dev.holdfast.api.Names;
import dev.holdfast.engine.claim.PollPace;
import dev.holdfast.engine.route.Router;
import dev.holdfast.engine.store.Upkeep;
import java.time.Duration;
import java.util.Map;

/**
 * How a node behaves. Every setting is checked when the node is built.
 *
 * @param id what people call the node; defaults to host name and process id
 * @param maxConcurrent how many jobs it runs at once, over all queues; defaults to 200
 * @param queues the queues it serves; defaults to {@code default} alone
 * @param router which executor runs which task; defaults to virtual threads for all
 * @param platformThreads the size of the executor {@code platform}; defaults to the number of cores
 * @param poll how often to look for work when nobody calls
 * @param heartbeat between two beats while jobs run; defaults to 10 s. Twice that while idle.
 * @param terms how long the node may be silent before others may take over; defaults to 60 s
 * @param retention how long ended jobs are kept; defaults to 14 days, 90 for the dead letter
 * @param resultLimit how long an encoded result may be, in characters; defaults to 1 Mi
 * @param shutdownGrace how long {@code close} lets running jobs go on before it interrupts them;
 *     defaults to 25 s
 */
public record NodeSettings(
    String id,
    int maxConcurrent,
    Map<String, QueueSettings> queues,
    Router router,
    int platformThreads,
    PollPace poll,
    Duration heartbeat,
    Duration terms,
    Upkeep.Retention retention,
    int resultLimit,
    Duration shutdownGrace) {

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

  public NodeSettings {
    if (id.isBlank() || id.length() > 64) {
      throw new IllegalArgumentException(
          "Node id '%s' is not valid: give 1 to 64 characters.".formatted(id));
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
    if (heartbeat.isNegative() || heartbeat.isZero()) {
      throw new IllegalArgumentException(
          "A heartbeat every %s is not valid: give a positive duration.".formatted(heartbeat));
    }
    if (terms.compareTo(heartbeat.multipliedBy(6)) < 0) {
      throw new IllegalArgumentException(
          "Terms of %s are too short for a heartbeat every %s, which is every %s while idle: give terms of at least %s."
              .formatted(terms, heartbeat, heartbeat.multipliedBy(2), heartbeat.multipliedBy(6)));
    }
    if (shutdownGrace.isNegative()) {
      throw new IllegalArgumentException(
          "A shutdown grace of %s is not valid: give zero or a positive duration."
              .formatted(shutdownGrace));
    }
  }

  /** How the node serves one of its queues. */
  QueueSettings of(String queue) {
    return queues.getOrDefault(queue, QueueSettings.DEFAULT);
  }
}
