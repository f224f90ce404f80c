package dev.holdfast.server.metrics;

import dev.holdfast.api.Counts;
import dev.holdfast.api.StoreException;
import dev.holdfast.api.job.QueueStatus;
import dev.holdfast.api.workflow.RunFilter;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.engine.store.QueueStore;
import dev.holdfast.server.tenant.OpenTenant;
import dev.holdfast.server.tenant.Tenants;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToLongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the runs and the ready jobs of tenants when metrics are read. An idle tenant that had
 * neither is counted again only after an hour, so a thousand idle tenants cost nothing. A scrape
 * counts at most fifty tenants, starting with those that were counted longest ago.
 */
final class TenantSamples {
  private static final Logger log = LoggerFactory.getLogger(TenantSamples.class);
  private static final Duration FRESH = Duration.ofSeconds(1);
  private static final Duration IDLE = Duration.ofHours(1);
  private static final int AT_ONCE = 50;
  private static final Set<RunState> ACTIVE =
      Set.of(RunState.RUNNING, RunState.PAUSED, RunState.CANCELLING);

  private final Tenants tenants;
  private final TenantLabels labels;
  private final MultiGauge depths;
  private final MultiGauge byTenant;
  private final Map<String, Sample> samples = new ConcurrentHashMap<>();
  private final Set<String> touched = ConcurrentHashMap.newKeySet();

  /**
   * What a tenant had.
   *
   * @param ready the ready jobs of each queue
   */
  private record Sample(long at, long active, long pending, Map<String, Long> ready) {
    boolean isEmpty() {
      return active == 0 && pending == 0 && ready.values().stream().allMatch(n -> n == 0);
    }
  }

  TenantSamples(Tenants tenants, TenantLabels labels, MeterRegistry registry) {
    this.tenants = tenants;
    this.labels = labels;
    this.depths =
        MultiGauge.builder("holdfast.task.queue.depth")
            .description("Ready jobs of all tenants, by queue")
            .register(registry);
    this.byTenant =
        MultiGauge.builder("holdfast.tenant.runs.active")
            .description("Runs that have started and not ended, by tenant")
            .register(registry);
    total(registry, "active", "Runs that have started and not ended", Sample::active);
    total(registry, "pending", "Runs that wait to be started", Sample::pending);
  }

  private void total(
      MeterRegistry registry, String what, String description, ToLongFunction<Sample> value) {
    Gauge.builder(
            "holdfast.runs." + what,
            this,
            all -> all.samples.values().stream().mapToLong(value).sum())
        .description(description)
        .strongReference(true)
        .register(registry);
  }

  void touched(String tenant) {
    touched.add(tenant);
  }

  /** Counts what may have changed, and updates the gauges. */
  synchronized void refresh() {
    Map<String, OpenTenant> open = new HashMap<>();
    tenants.opened().forEach(tenant -> open.put(tenant.tenant().name(), tenant));
    samples.keySet().retainAll(open.keySet());
    long now = System.nanoTime();
    List<String> due = new ArrayList<>(open.keySet());
    due.removeIf(name -> !isDue(name, now));
    due.sort(Comparator.comparingLong((String name) -> age(name, now)).reversed());
    for (String name : due.subList(0, Math.min(AT_ONCE, due.size()))) {
      OpenTenant tenant = open.get(name);
      if (tenant == null) {
        continue;
      }
      touched.remove(name);
      try {
        samples.put(name, count(tenant, now));
      } catch (StoreException away) {
        // The last values stay; the metrics of the server itself must not depend on a database.
        touched.add(name);
        log.debug("Tenant {} could not be counted: {}", name, away.getMessage());
        break;
      }
    }
    show();
  }

  private long age(String name, long now) {
    Sample last = samples.get(name);
    return last == null ? Long.MAX_VALUE : now - last.at();
  }

  private boolean isDue(String name, long now) {
    Sample last = samples.get(name);
    if (last == null) {
      return true;
    }
    Duration age = Duration.ofNanos(now - last.at());
    boolean changing = touched.contains(name) || !last.isEmpty();
    return age.compareTo(changing ? FRESH : IDLE) >= 0;
  }

  private static Sample count(OpenTenant tenant, long now) {
    Counts<RunState> runs =
        tenant
            .store()
            .runs()
            .queries()
            .count(
                RunFilter.all()
                    .state(RunState.QUEUED, RunState.RUNNING, RunState.PAUSED, RunState.CANCELLING),
                QueueStore.MOST_COUNTED);
    long active = 0;
    for (RunState state : ACTIVE) {
      active += runs.of(state);
    }
    Map<String, Long> ready = new TreeMap<>();
    for (QueueStatus queue : tenant.client().queues().list()) {
      ready.put(queue.name(), queue.ready());
    }
    return new Sample(now, active, runs.of(RunState.QUEUED), ready);
  }

  private void show() {
    Map<String, Long> depth = new TreeMap<>();
    Map<String, Long> active = new TreeMap<>();
    samples.forEach((tenant, sample) -> {
      sample.ready().forEach((queue, ready) -> depth.merge(queue, ready, Long::sum));
      active.merge(labels.of(tenant), sample.active(), Long::sum);
    });
    depths.register(rows("queue", bounded(depth)), true);
    byTenant.register(rows("tenant", active), true);
  }

  /** Bounds the number of queues, because clients can choose any names. */
  private static Map<String, Long> bounded(Map<String, Long> depth) {
    if (depth.size() <= TenantLabels.MOST) {
      return depth;
    }
    Map<String, Long> kept = new TreeMap<>();
    depth.forEach((queue, ready) ->
        kept.merge(kept.size() < TenantLabels.MOST ? queue : TenantLabels.OTHER, ready, Long::sum));
    return kept;
  }

  private static List<MultiGauge.Row<?>> rows(String tag, Map<String, Long> values) {
    List<MultiGauge.Row<?>> rows = new ArrayList<>();
    values.forEach((name, value) -> rows.add(MultiGauge.Row.of(Tags.of(tag, name), value)));
    return rows;
  }
}
