package dev.holdfast.server.metrics;

import dev.holdfast.api.HoldfastException;
import dev.holdfast.api.internal.Times;
import dev.holdfast.engine.store.QueueStore;
import dev.holdfast.engine.store.QueueStore.Depth;
import dev.holdfast.server.control.ControlDatabase;
import dev.holdfast.server.tenant.OpenTenant;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How many jobs wait, for autoscalers. A question is a look into memory. While questions arrive,
 * the memory is refreshed every {@link #ROUND} from the stored samples of the tenants that have
 * work, and a sample is at most {@link #SAMPLE} old: so a result is at most the sum of both old,
 * and however many ask, and however many servers there are, the jobs of a tenant are counted once
 * in that time.
 */
public final class Backlogs implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Backlogs.class);

  /** How often what is in memory is read again. */
  static final Duration ROUND = Duration.ofSeconds(5);

  /** How old the sample of a tenant may be. */
  static final Duration SAMPLE = Duration.ofSeconds(15);

  /** After this time without a question nothing is read: most installations have no autoscaler. */
  private static final Duration ASKED = Duration.ofMinutes(2);

  private final ControlDatabase control;
  private final IntFunction<Optional<OpenTenant>> tenants;
  private final LongSupplier nanos;
  private final ReentrantLock refreshing = new ReentrantLock();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("holdfast-backlog").factory());
  private volatile @Nullable Snapshot latest;
  private volatile long asked;

  /** What the queues of each tenant had. */
  private record Snapshot(long at, Map<Integer, Map<String, Depth>> depths) {}

  /**
   * The jobs that wait.
   *
   * @param more whether there may be more, because counting stopped
   */
  public record Backlog(long ready, boolean more) {}

  /**
   * @param tenants finds a tenant by its number
   */
  public Backlogs(
      ControlDatabase control, IntFunction<Optional<OpenTenant>> tenants, LongSupplier nanos) {
    this.control = control;
    this.tenants = tenants;
    this.nanos = nanos;
  }

  /** Starts to refresh while there are questions. */
  public Backlogs start() {
    Future<?> unused =
        timer.scheduleWithFixedDelay(
            this::keepFresh, ROUND.toMillis(), ROUND.toMillis(), TimeUnit.MILLISECONDS);
    return this;
  }

  private void keepFresh() {
    Snapshot known = latest;
    if (known == null || nanos.getAsLong() - asked > ASKED.toNanos()) {
      return;
    }
    try {
      refresh(Duration.ZERO);
    } catch (RuntimeException failure) {
      log.warn(
          "Backlogs could not be read, retrying in {}: {}",
          Times.describe(ROUND),
          failure.getMessage());
    }
  }

  /**
   * Returns how many jobs of queues wait in all tenants.
   *
   * @throws HoldfastException if nothing is known and the database cannot be reached
   */
  public Backlog of(Collection<String> queues) {
    return sum(current().depths.values(), queues);
  }

  /** Returns how many jobs of a queue wait in one tenant. */
  public Backlog of(int tenant, String queue) {
    return sum(List.of(current().depths.getOrDefault(tenant, Map.of())), List.of(queue));
  }

  private static Backlog sum(Collection<Map<String, Depth>> tenants, Collection<String> queues) {
    long ready = 0;
    boolean more = false;
    for (Map<String, Depth> depths : tenants) {
      for (String queue : queues) {
        Depth depth = depths.get(queue);
        if (depth != null) {
          ready += depth.ready();
          more |= depth.ready() >= QueueStore.MOST_COUNTED;
        }
      }
    }
    return new Backlog(ready, more);
  }

  private Snapshot current() {
    asked = nanos.getAsLong();
    Snapshot known = latest;
    // Twice the round: a question waits only if there was none before, or if the refresh fails.
    Duration tolerated = ROUND.multipliedBy(2);
    return known != null && isFresh(known, tolerated) ? known : refresh(tolerated);
  }

  private boolean isFresh(Snapshot known, Duration age) {
    return nanos.getAsLong() - known.at <= age.toNanos();
  }

  /** Reads the samples of tenants with work, unless another thread has done so meanwhile. */
  private Snapshot refresh(Duration unlessYounger) {
    refreshing.lock();
    try {
      Snapshot known = latest;
      if (known != null && isFresh(known, unlessYounger)) {
        return known;
      }
      Map<Integer, Map<String, Depth>> depths = new HashMap<>();
      for (int id : tenantsWithWork()) {
        Map<String, Depth> before =
            known == null ? Map.of() : known.depths.getOrDefault(id, Map.of());
        depths.put(
            id,
            tenants.apply(id).flatMap(tenant -> depths(tenant.store().queues())).orElse(before));
      }
      Snapshot fresh = new Snapshot(nanos.getAsLong(), depths);
      latest = fresh;
      return fresh;
    } finally {
      refreshing.unlock();
    }
  }

  /** More servers would not help the jobs of a paused queue. */
  private static Optional<Map<String, Depth>> depths(QueueStore queues) {
    return queues
        .depths(SAMPLE)
        .map(all -> {
          Map<String, Depth> open = new HashMap<>(all);
          queues
              .rules()
              .forEach((queue, rule) -> {
                if (rule.paused()) {
                  open.remove(queue);
                }
              });
          return open;
        });
  }

  /** Every tenant with ready jobs has a server that works in it, or a hint for one. */
  private List<Integer> tenantsWithWork() {
    return control.run(
        "list tenants with work",
        statements ->
            statements
                .query(
                    // By tenant_pkey. Holds and hints are few: what is being worked on now.
                    """
                    select t.id from ${schema}.tenant t
                    where t.state = 'ACTIVE' and t.id in (
                      select tenant from ${schema}.hold where active
                      union
                      select tenant from ${schema}.hint where kind = 'R')
                    """)
                .mapTo(Integer.class)
                .list());
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
