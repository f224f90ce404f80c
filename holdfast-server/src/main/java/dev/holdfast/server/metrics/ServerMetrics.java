package dev.holdfast.server.metrics;

import dev.holdfast.api.run.AttemptInterceptor;
import dev.holdfast.engine.node.NodeLoad;
import dev.holdfast.postgres.PoolUse;
import dev.holdfast.server.http.Pipeline;
import dev.holdfast.server.tenant.Tenants;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The metrics of a server. */
public final class ServerMetrics implements Pipeline.Observer, AutoCloseable {
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final JvmGcMetrics collections = new JvmGcMetrics();
  private final TenantLabels labels = new TenantLabels();

  private volatile Supplier<NodeLoad> load = () -> NodeLoad.NONE;
  private volatile @Nullable TenantSamples samples;

  public ServerMetrics() {
    registry.config().meterFilter(new ServerNames());
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    collections.bindTo(registry);
    new ClassLoaderMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
    gauge("holdfast.workers.active", "Attempts that run on this server", NodeLoad::running);
    gauge(
        "holdfast.workers.total.capacity",
        "Attempts that this server runs at the same time at most",
        NodeLoad::capacity);
    gauge(
        "holdfast.heartbeat.margin.seconds",
        "How long this server may still act without another successful heartbeat",
        now -> now.heartbeatMargin().toMillis() / 1000.0);
    Gauge.builder("holdfast.recovery.orphaned.tasks", this, ServerMetrics::recovered)
        .description("Jobs of dead nodes that this server has taken back since it started")
        .strongReference(true)
        .register(registry);
  }

  private void gauge(String name, String description, ToDoubleFunction<NodeLoad> value) {
    Gauge.builder(name, this, any -> value.applyAsDouble(load.get()))
        .description(description)
        .strongReference(true)
        .register(registry);
  }

  private double recovered() {
    return registry.find("holdfast.jobs.recovered").counters().stream()
        .mapToDouble(Counter::count)
        .sum();
  }

  /** Returns the registry, which nodes use too. */
  public MeterRegistry registry() {
    return registry;
  }

  /** Sets where to read how busy the node of this server is. */
  public void node(Supplier<NodeLoad> busy) {
    load = busy;
  }

  /** Returns an interceptor that counts the attempts of a tenant. */
  public AttemptInterceptor attempts(String tenant) {
    Counter executed =
        Counter.builder("holdfast.tenant.tasks.executed")
            .description("Attempts that ran on this server, by tenant")
            .tag("tenant", labels.of(tenant))
            .register(registry);
    return attempt -> {
      touched(tenant);
      try {
        return attempt.proceed();
      } finally {
        executed.increment();
      }
    };
  }

  /**
   * Notes that something may have changed in a tenant, so that it is counted at the next scrape.
   */
  public void touched(String tenant) {
    TenantSamples known = samples;
    if (known != null) {
      known.touched(tenant);
    }
  }

  /** Adds gauges for connections. */
  public void pool(String name, Supplier<PoolUse> use) {
    connections("active", "Connections in use", name, () -> use.get().active());
    connections("idle", "Connections that are idle", name, () -> use.get().idle());
    connections("waiting", "Threads that wait for a connection", name, () -> use.get().waiting());
    connections("max", "Connections that the pool may have", name, () -> use.get().most());
  }

  private void connections(String what, String description, String pool, Supplier<Number> value) {
    Gauge.builder("holdfast.db.connections." + what, value)
        .description(description)
        .tag("pool", pool)
        .strongReference(true)
        .register(registry);
  }

  /** Adds gauges for what tenants have. */
  public void tenants(Tenants tenants) {
    samples = new TenantSamples(tenants, labels, registry);
    Gauge.builder("holdfast.tenants.open", tenants, all -> all.opened().size())
        .description("Tenants that this server has opened")
        .register(registry);
  }

  /** Routes name no values of parameters, so the number of time series is bounded. */
  @Override
  public void handled(String route, @Nullable String tenant, int status, Duration took) {
    Timer.builder("holdfast.http.requests")
        .description("Requests by route and status")
        .tags(Tags.of("route", route, "status", String.valueOf(status)))
        .register(registry)
        .record(took);
    if (tenant != null && !route.startsWith("GET ")) {
      touched(tenant);
    }
  }

  /** Returns all metrics in the text format of Prometheus. */
  public String scrape() {
    TenantSamples known = samples;
    if (known != null) {
      known.refresh();
    }
    return registry.scrape();
  }

  @Override
  public void close() {
    collections.close();
    registry.close();
  }
}
