package dev.holdfast.bench.tenants;

import dev.holdfast.api.run.TaskModule;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.bench.harness.Bench;
import dev.holdfast.bench.harness.Measure;
import dev.holdfast.bench.harness.NoopJobs;
import dev.holdfast.cli.database.Address;
import dev.holdfast.server.audit.Actor;
import dev.holdfast.server.boot.HoldfastServer;
import dev.holdfast.server.config.Configuration;
import dev.holdfast.server.tenant.OpenTenant;
import dev.holdfast.server.tenant.TenantSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** The servers that are measured, all on one database, and their tenants. */
final class TenantServers {
  static final String CONTROL = "holdfast_control";

  /** A job whose start is noted under its text. */
  static final TaskType<NoopJobs.Payload, Void> TIMED =
      TaskType.of("bench::timed", NoopJobs.Payload.class);

  private static final int CREATORS = 4;
  private static final Duration LIMIT = Duration.ofMinutes(5);

  private final Bench bench;
  private final Counter counter = new Counter();
  private final Map<String, Long> started = new ConcurrentHashMap<>();

  TenantServers(Bench bench) {
    this.bench = bench;
  }

  /** Counts jobs, and notes when the first started and the last ended. */
  static final class Counter {
    private final AtomicInteger ran = new AtomicInteger();
    private final AtomicLong first = new AtomicLong();
    private final AtomicLong last = new AtomicLong();

    private void count() {
      long now = System.nanoTime();
      first.compareAndSet(0, now);
      last.accumulateAndGet(now, Math::max);
      ran.incrementAndGet();
    }

    int ran() {
      return ran.get();
    }

    void reset() {
      ran.set(0);
      first.set(0);
      last.set(0);
    }

    Duration took() {
      return Duration.ofNanos(last.get() - first.get());
    }
  }

  Counter counter() {
    return counter;
  }

  /** Returns when the {@link #TIMED} jobs started, by their text. */
  Map<String, Long> started() {
    return started;
  }

  private TaskModule module() {
    return binder ->
        binder
            .handle(
                NoopJobs.TASK,
                (payload, context) -> {
                  counter.count();
                })
            .handle(
                TIMED,
                (payload, context) -> {
                  started.putIfAbsent(payload.text(), System.nanoTime());
                });
  }

  HoldfastServer start(String mode, int concurrency) {
    Address address = bench.server().address();
    Map<String, String> flags = new HashMap<>();
    flags.put("port", "0");
    flags.put("mode", mode);
    flags.put("database.url", address.url());
    if (address.user() != null) {
      flags.put("database.user", address.user());
    }
    if (address.password() != null) {
      flags.put("database.password", address.password());
    }
    flags.put("database.schema", CONTROL);
    flags.put("concurrency", String.valueOf(concurrency));
    flags.put("queues", "default=" + concurrency);
    flags.put("tenantIdle", "PT5S");
    return HoldfastServer.start(
        Configuration.read(null, Map.of(), flags).server(), List.of(module()));
  }

  private static String name(int number) {
    return "bench-" + number;
  }

  /** Creates tenants 0 to a number, without it. */
  void create(HoldfastServer server, int tenants) throws Exception {
    bench.say("tenants", "creating %d tenants".formatted(tenants));
    long began = System.nanoTime();
    try (ExecutorService creators = Executors.newFixedThreadPool(CREATORS)) {
      List<Future<?>> created = new ArrayList<>();
      for (int i = 0; i < tenants; i++) {
        int number = i;
        created.add(
            creators.submit(
                () -> server.tenants().create(name(number), TenantSettings.DEFAULT, Actor.SERVER)));
      }
      for (Future<?> one : created) {
        one.get();
      }
    }
    bench
        .report()
        .add(Measure.of("tenants.create", (System.nanoTime() - began) / 1e6 / tenants, "ms each"));
  }

  static OpenTenant tenant(HoldfastServer server, int number) {
    return server.tenants().open(name(number)).orElseThrow();
  }

  /** Enqueues jobs in a tenant. */
  static void enqueue(HoldfastServer server, int number, int jobs) {
    OpenTenant tenant = tenant(server, number);
    int left = jobs;
    while (left > 0) {
      int chunk = Math.min(left, NoopJobs.CHUNK);
      left -= tenant.change(() -> tenant.client().enqueueAll(NoopJobs.requests(chunk))).size();
    }
  }

  /** Enqueues one job whose start is noted under a text. */
  static void enqueueTimed(HoldfastServer server, int number, String text) {
    OpenTenant tenant = tenant(server, number);
    tenant.change(() -> tenant.client().enqueue(TIMED, new NoopJobs.Payload(text)));
  }

  /** Something that is waited for. */
  interface Condition {
    boolean holds() throws Exception;
  }

  static void await(Condition condition) throws Exception {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!condition.holds()) {
      if (System.nanoTime() - end > 0) {
        throw new IllegalStateException("Nothing happened for " + LIMIT);
      }
      Thread.sleep(1);
    }
  }
}
