package dev.holdfast.engine.upkeep;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.internal.Times;
import dev.holdfast.engine.meter.Meters;
import dev.holdfast.engine.notify.ClusterSize;
import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.store.QueueStore;
import dev.holdfast.engine.store.QueueStore.Sample;
import dev.holdfast.engine.time.Moment;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Updates the meters of the queues that this node serves, and warns about ready jobs whose task no
 * live node has a handler for. In the whole cluster one node counts in each round; the others read
 * its result.
 */
public final class Sampler implements Role {
  private static final Logger log = LoggerFactory.getLogger(Sampler.class);
  private static final Duration FIRST_ROUND = Duration.ofSeconds(15);
  private static final Duration ROUND = Duration.ofSeconds(60);
  private static final Duration IDLE_ROUND = Duration.ofMinutes(3);

  /** A little less than a round, or the node that counted last would wait for another one. */
  private static final Duration FRESH = ROUND.minusSeconds(5);

  private static final Duration WHILE_ANOTHER_COUNTS = Duration.ofSeconds(5);

  private final QueueStore queues;
  private final Set<String> served;
  private final Meters meters;
  private final ClusterSize clusterSize;
  private boolean started;
  private Map<String, Long> warnedOf = Map.of();
  private long warnedOfRuns;

  /**
   * Creates the sampler of a node.
   *
   * @param served the queues that this node serves
   */
  public Sampler(QueueStore queues, Set<String> served, Meters meters, ClusterSize clusterSize) {
    this.queues = queues;
    this.served = Set.copyOf(served);
    this.meters = meters;
    this.clusterSize = clusterSize;
  }

  @Override
  public String name() {
    return "sampler";
  }

  @Override
  public Moment tick(Moment now) {
    if (!started) {
      // Counting a large backlog takes a while, and a node that has just started has more urgent
      // work.
      started = true;
      return now.plus(FIRST_ROUND);
    }
    Duration next = ROUND;
    try {
      Optional<Sample> sample = queues.sample(served, FRESH);
      next = sample.map(this::show).orElse(WHILE_ANOTHER_COUNTS);
    } catch (StoreException failure) {
      log.warn(
          "Queues could not be measured, retrying in {}: {}",
          Times.describe(ROUND),
          failure.getMessage());
    }
    return now.plus(next);
  }

  private Duration show(Sample sample) {
    meters.depths(served, sample.depths());
    clusterSize.seen(sample.nodes(), sample.serving());
    Map<String, Long> unknown = sample.unknownTasks();
    meters.unknownTaskJobs(unknown.values().stream().mapToLong(Long::longValue).sum());
    if (!unknown.isEmpty() && !unknown.keySet().equals(warnedOf.keySet())) {
      log.warn(
          "Ready jobs wait for tasks that no live node has a handler for: {}. They are kept; deploy"
              + " a node with handlers for them.",
          unknown);
    }
    warnedOf = unknown;
    meters.strandedRuns(sample.strandedRuns());
    if (sample.strandedRuns() > 0 && warnedOfRuns == 0) {
      log.warn(
          "{} runs cannot continue, because no live node has the version that they need. List them"
              + " with the filter stranded; their reason says what is missing.",
          sample.strandedRuns());
    }
    warnedOfRuns = sample.strandedRuns();
    return sample.depths().isEmpty() && unknown.isEmpty() ? IDLE_ROUND : ROUND;
  }
}
