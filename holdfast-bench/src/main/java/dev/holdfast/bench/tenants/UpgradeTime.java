package dev.holdfast.bench.tenants;

import dev.holdfast.bench.harness.Bar;
import dev.holdfast.bench.harness.Bench;
import dev.holdfast.bench.harness.Measure;
import dev.holdfast.bench.harness.NoopJobs;
import dev.holdfast.cli.database.Address;
import dev.holdfast.postgres.PostgresSettings;
import dev.holdfast.postgres.SharedConnections;
import dev.holdfast.postgres.schema.SchemaScripts;
import dev.holdfast.server.boot.HoldfastServer;
import dev.holdfast.server.control.ControlDatabase;
import dev.holdfast.server.control.DatabaseAddress;
import dev.holdfast.server.tenant.TenantMigrations;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Measures how long one migration of all tenants takes, and what clients notice: a server of the
 * version before accepts and runs jobs meanwhile.
 */
final class UpgradeTime {
  private static final int CLIENTS = 4;
  private static final int BUSY_TENANTS = 20;

  private final Bench bench;
  private final TenantServers servers;

  UpgradeTime(Bench bench, TenantServers servers) {
    this.bench = bench;
    this.servers = servers;
  }

  /** Clients that enqueue a job every few milliseconds, in one tenant after the other. */
  private final class Load implements AutoCloseable {
    private final HoldfastServer server;
    private final int tenants;
    private final Map<String, Long> enqueued = new ConcurrentHashMap<>();
    private final AtomicInteger number = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();
    private final AtomicReference<String> failure = new AtomicReference<>("");
    private final ConcurrentHashMap<String, Double> tookMillis = new ConcurrentHashMap<>();
    private volatile boolean over;

    Load(HoldfastServer server, int tenants) {
      this.server = server;
      this.tenants = tenants;
      for (int i = 0; i < CLIENTS; i++) {
        Thread.ofVirtual().start(this::run);
      }
    }

    private void run() {
      int apart = Math.max(1, tenants / BUSY_TENANTS);
      try {
        while (!over) {
          int next = number.getAndIncrement();
          String text = "upgrade-" + next;
          long began = System.nanoTime();
          enqueued.put(text, began);
          try {
            TenantServers.enqueueTimed(server, next * apart % tenants, text);
          } catch (RuntimeException refused) {
            enqueued.remove(text);
            failed.incrementAndGet();
            failure.compareAndSet("", refused.toString());
          }
          tookMillis.put(text, (System.nanoTime() - began) / 1e6);
          Thread.sleep(5);
        }
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
      }
    }

    double slowestCallMillis() {
      return tookMillis.values().stream().mapToDouble(millis -> millis).max().orElse(0);
    }

    /** Waits until all jobs have started, and returns the longest wait. */
    double slowestJobMillis() throws Exception {
      TenantServers.await(() -> servers.started().keySet().containsAll(enqueued.keySet()));
      return enqueued.entrySet().stream()
              .mapToLong(job -> servers.started().getOrDefault(job.getKey(), 0L) - job.getValue())
              .max()
              .orElse(0)
          / 1e6;
    }

    @Override
    public void close() {
      over = true;
    }
  }

  void measure(int tenants) throws Exception {
    servers.started().clear();
    try (HoldfastServer server = servers.start("all", NoopJobs.CONCURRENCY)) {
      Load load = new Load(server, tenants);
      double seconds;
      try (load) {
        TenantServers.await(() -> servers.started().size() > 100);
        bench.say("tenants", "migrating %d tenants".formatted(tenants));
        seconds = migrate(tenants);
      }
      bench.report().add(Measure.of("tenants.upgrade", seconds, "s").should(Bar.atMost(60)));
      bench
          .report()
          .add(
              Measure.of("tenants.upgrade_failed_calls", (double) load.failed.get(), "calls")
                  .should(Bar.atMost(0)));
      bench
          .report()
          .add(
              Measure.of("tenants.upgrade_slowest_call", load.slowestCallMillis(), "ms")
                  .should(Bar.atMost(3_000)));
      bench.report().add(Measure.of("tenants.upgrade_longest_wait", load.slowestJobMillis(), "ms"));
      bench
          .report()
          .note(
              "tenants: %d jobs were enqueued before and during the upgrade. %s"
                  .formatted(load.tookMillis.size(), load.failure.get()));
    }
  }

  private double migrate(int tenants) throws Exception {
    Address address = bench.server().address();
    PostgresSettings settings = address.settings(TenantServers.CONTROL).poolSize(CLIENTS).build();
    try (SharedConnections connections = SharedConnections.open(settings);
        ControlDatabase control =
            ControlDatabase.connect(
                new DatabaseAddress(address.url(), address.user(), address.password()),
                TenantServers.CONTROL)) {
      SchemaScripts scripts =
          SchemaScripts.load(connections.migrating())
              .and(
                  "bench",
                  """
                  alter table ${schema}.job add column bench_a int, add column bench_b text;
                  create index job_bench on ${schema}.job (bench_a) where bench_a is not null
                  """);
      long started = System.nanoTime();
      int migrated = new TenantMigrations(control, scripts).run();
      double seconds = (System.nanoTime() - started) / 1e9;
      if (migrated < tenants) {
        throw new IllegalStateException("Only %d tenants were migrated".formatted(migrated));
      }
      return seconds;
    }
  }
}
