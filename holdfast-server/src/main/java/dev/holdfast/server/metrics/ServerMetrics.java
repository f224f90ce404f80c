package dev.holdfast.server.metrics;

import dev.holdfast.server.control.ControlDatabase;
import dev.holdfast.server.http.Pipeline;
import dev.holdfast.server.tenant.Tenants;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;

/** The metrics of a server. */
public final class ServerMetrics implements Pipeline.Observer, AutoCloseable {
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

  public ServerMetrics() {
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ClassLoaderMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
  }

  /** Returns the registry, which nodes use too. */
  public MeterRegistry registry() {
    return registry;
  }

  /** Adds gauges for the connections to the control schema and the open tenants. */
  public void watch(ControlDatabase control, Tenants tenants) {
    Gauge.builder("holdfast.db.connections.active", control, ControlDatabase::activeConnections)
        .description("Connections to the control schema that are in use")
        .register(registry);
    Gauge.builder("holdfast.db.connections.idle", control, ControlDatabase::idleConnections)
        .description("Connections to the control schema that are idle")
        .register(registry);
    Gauge.builder("holdfast.tenants.open", tenants, all -> all.opened().size())
        .description("Tenants that this server has opened")
        .register(registry);
  }

  /** Routes name no values of parameters, so the number of time series is bounded. */
  @Override
  public void handled(String route, int status, Duration took) {
    Timer.builder("holdfast.http.requests")
        .description("Requests by route and status")
        .tags(Tags.of("route", route, "status", String.valueOf(status)))
        .register(registry)
        .record(took);
  }

  /** Returns all metrics in the text format of Prometheus. */
  public String scrape() {
    return registry.scrape();
  }

  @Override
  public void close() {
    registry.close();
  }
}
