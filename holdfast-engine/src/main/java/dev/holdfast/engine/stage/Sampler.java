package dev.holdfast.engine.stage;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.job.QueueStatus;
import dev.holdfast.engine.meter.Meters;
import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.store.Lookup;
import dev.holdfast.engine.store.QueueBook;
import dev.holdfast.engine.time.Moment;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Measures how deep queues are, and warns of ready jobs whose task no live node knows. */
public final class Sampler implements Role {
  private static final Logger log = LoggerFactory.getLogger(Sampler.class);
  private static final Duration FIRST_ROUND = Duration.ofSeconds(15);
  private static final Duration ROUND = Duration.ofSeconds(60);
  private static final Duration IDLE_ROUND = Duration.ofMinutes(3);
  private static final int ROUNDS_PER_TASK_CHECK = 5;

  private final QueueBook queues;
  private final Lookup lookup;
  private final Meters meters;
  private boolean begun;
  private int round;
  private Map<String, Long> warnedOf = Map.of();

  public Sampler(QueueBook queues, Lookup lookup, Meters meters) {
    this.queues = queues;
    this.lookup = lookup;
    this.meters = meters;
  }

  @Override
  public String name() {
    return "sampler";
  }

  @Override
  public Moment tick(Moment now) {
    if (!begun) {
      // Counting a large backlog takes a while, and a node that has just started has better to do.
      begun = true;
      return now.plus(FIRST_ROUND);
    }
    Duration next = ROUND;
    try {
      List<QueueStatus> statuses = queues.list();
      meters.depths(statuses);
      boolean anyReady = statuses.stream().anyMatch(status -> status.ready() > 0);
      if (anyReady && round++ % ROUNDS_PER_TASK_CHECK == 0) {
        checkTasks();
      } else if (!anyReady) {
        noneUnknown();
        next = IDLE_ROUND;
      }
    } catch (StoreException failure) {
      log.warn("Queues could not be measured: {}", failure.getMessage());
    }
    return now.plus(next);
  }

  private void noneUnknown() {
    meters.unknownTaskJobs(0);
    warnedOf = Map.of();
    round = 0;
  }

  private void checkTasks() {
    Map<String, Long> unknown = lookup.unknownTasks();
    meters.unknownTaskJobs(unknown.values().stream().mapToLong(Long::longValue).sum());
    if (!unknown.isEmpty() && !unknown.keySet().equals(warnedOf.keySet())) {
      log.warn(
          "Ready jobs wait for tasks that no live node has a handler for: {}. They are kept; deploy"
              + " a node that knows them.",
          unknown);
    }
    warnedOf = unknown;
  }
}
