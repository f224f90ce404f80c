package dev.holdfast.bench;

import dev.holdfast.api.run.TaskModule;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.bench.harness.Bar;
import dev.holdfast.bench.harness.Bench;
import dev.holdfast.bench.harness.BenchCommand;
import dev.holdfast.bench.harness.BenchDatabase;
import dev.holdfast.bench.harness.Measure;
import dev.holdfast.bench.harness.NoopJobs;
import dev.holdfast.bench.harness.Rounds;
import dev.holdfast.cli.database.Address;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.postgres.PostgresSettings;
import dev.holdfast.postgres.SharedConnections;
import dev.holdfast.postgres.schema.SchemaScripts;
import dev.holdfast.server.audit.Actor;
import dev.holdfast.server.boot.HoldfastServer;
import dev.holdfast.server.config.Configuration;
import dev.holdfast.server.control.ControlDatabase;
import dev.holdfast.server.control.DatabaseAddress;
import dev.holdfast.server.tenant.OpenTenant;
import dev.holdfast.server.tenant.TenantMigrations;
import dev.holdfast.server.tenant.TenantSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures what many tenants cost a server. */
@Command(
    name = "tenants",
    description = {
      "Compare a server with many tenants to one with a single tenant.",
      "Idle load, draining, enqueueing, memory of the database, and an upgrade of all tenants. On a"
          + " database that you give, it creates schemas holdfast_t1, holdfast_t2 and so on, and"
          + " refuses to run if there are any."
    })
public final class TenantsBench extends BenchCommand {
  /** As many as a tenant has connections. */
  private static final int THREADS = 4;

  private static final int CREATORS = 4;
  private static final int FEW = 100;
  private static final Duration LIMIT = Duration.ofMinutes(5);
  private static final String CONTROL = "holdfast_control";
  private static final TaskType<NoopJobs.Payload, Void> TASK = NoopJobs.TASK;

  @Option(
      names = "--tenants",
      paramLabel = "N",
      description = "How many tenants to create. Defaults to 1000.")
  private int many = 1_000;

  /** Counts jobs, and notes when the first started and the last ended. */
  private static final class Counter {
    final AtomicInteger ran = new AtomicInteger();
    final AtomicLong first = new AtomicLong();
    final AtomicLong last = new AtomicLong();

    TaskModule module() {
      return binder ->
          binder.handle(
              TASK,
              (payload, context) -> {
                long now = System.nanoTime();
                first.compareAndSet(0, now);
                last.accumulateAndGet(now, Math::max);
                ran.incrementAndGet();
              });
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

  private record Cost(double statements, double millis) {}

  private final Counter counter = new Counter();

  @Override
  public void measure(Bench bench) throws Exception {
    int tenants = bench.quick() ? 20 : many;
    int few = Math.min(FEW, tenants);
    if (bench
            .server()
            .number("select count(*) from pg_namespace where nspname like 'holdfast\\_t%'")
        > 0) {
      bench.report().note("tenants was not measured: the database has schemas of tenants already.");
      return;
    }
    Cost one;
    Cost all;
    try (HoldfastServer server = start(bench, "worker,scheduler", 1_000)) {
      one = idle(bench, server, "1 tenant");
      create(bench, server, tenants);
      all = idle(bench, server, tenants + " tenants");
      touchAll(bench, server, tenants);
      bench
          .report()
          .add(
              Measure.of("tenants.backend_memory", largestBackend(bench) / 1024.0, "MB")
                  .should(Bar.atMost(64)));
    }
    bench
        .report()
        .add(
            Measure.of(
                    "tenants.idle_statements", all.statements() / one.statements(), Measure.RATIO)
                .should(Bar.atMost(1.2)));
    bench
        .report()
        .add(
            Measure.of("tenants.idle_time", all.millis() / one.millis(), Measure.RATIO)
                .should(Bar.atMost(1.2)));
    enqueue(bench);
    drain(bench, few, 10_000, 0.70, "tenants.drain_100_a_visit");
    drain(bench, few, 1_000, 0.45, "tenants.drain_10_a_visit");
    upgrade(bench, tenants);
  }

  private HoldfastServer start(Bench bench, String mode, int concurrency) {
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
        Configuration.read(null, Map.of(), flags).server(), List.of(counter.module()));
  }

  private static String name(int number) {
    return "bench-" + number;
  }

  private static void create(Bench bench, HoldfastServer server, int tenants) throws Exception {
    bench.say("tenants", "creating %d tenants".formatted(tenants));
    long started = System.nanoTime();
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
        .add(
            Measure.of("tenants.create", (System.nanoTime() - started) / 1e6 / tenants, "ms each"));
  }

  /** Waits until the server works in no tenant, then counts for a minute. */
  private static Cost idle(Bench bench, HoldfastServer server, String what) throws Exception {
    if (!bench.server().countsStatements()) {
      return new Cost(Double.NaN, Double.NaN);
    }
    bench.say("tenants", "waiting for a server with %s to be idle".formatted(what));
    await(() -> server.activeTenants() == 0);
    Thread.sleep(bench.quick() ? 1_000 : 5_000);
    Duration length = Duration.ofSeconds(bench.quick() ? 5 : 60);
    bench.say("tenants", "counting for %d s".formatted(length.toSeconds()));
    Map<String, Cost> before = costs(bench);
    Thread.sleep(length);
    Map<String, Cost> after = costs(bench);
    double statements = 0;
    double millis = 0;
    for (Map.Entry<String, Cost> entry : after.entrySet()) {
      Cost earlier = before.getOrDefault(entry.getKey(), new Cost(0, 0));
      double calls = entry.getValue().statements() - earlier.statements();
      double took = entry.getValue().millis() - earlier.millis();
      if (calls > 0) {
        statements += calls;
        millis += took;
        String query = entry.getKey().replaceAll("\\s+", " ");
        bench.say(
            "tenants",
            "%.0f x %.2f ms: %s"
                .formatted(calls, took / calls, query.substring(0, Math.min(90, query.length()))));
      }
    }
    return new Cost(statements, millis);
  }

  private static Map<String, Cost> costs(Bench bench) throws SQLException {
    Map<String, Cost> costs = new HashMap<>();
    try (Connection own = bench.server().connect();
        Connection aside = bench.server().connectAside();
        PreparedStatement query =
            aside.prepareStatement(
                """
                select query, sum(calls), sum(total_exec_time)
                from pg_stat_statements s join pg_database d on d.oid = s.dbid
                where d.datname = ? and s.query not like '%pg_stat_statements%'
                group by query
                """)) {
      query.setString(1, own.getCatalog());
      try (ResultSet row = query.executeQuery()) {
        while (row.next()) {
          costs.put(row.getString(1), new Cost(row.getDouble(2), row.getDouble(3)));
        }
      }
    }
    return costs;
  }

  private static OpenTenant tenant(HoldfastServer server, int number) {
    return server.tenants().open(name(number)).orElseThrow();
  }

  private void touchAll(Bench bench, HoldfastServer server, int tenants) throws Exception {
    bench.say("tenants", "running 10 jobs in each of %d tenants".formatted(tenants));
    counter.reset();
    for (int i = 0; i < tenants; i++) {
      enqueue(server, i, 10);
    }
    await(() -> counter.ran.get() == tenants * 10);
  }

  private static void enqueue(HoldfastServer server, int number, int jobs) {
    OpenTenant tenant = tenant(server, number);
    int left = jobs;
    while (left > 0) {
      int chunk = Math.min(left, NoopJobs.CHUNK);
      left -= tenant.change(() -> tenant.client().enqueueAll(NoopJobs.requests(chunk))).size();
    }
  }

  /**
   * Returns the private memory of the largest server process of the tenants' connections, in kB.
   */
  private static double largestBackend(Bench bench) throws SQLException, IOException {
    if (!bench.server().isOurs()) {
      return Double.NaN;
    }
    double largest = 0;
    try (Connection connection = bench.server().connect();
        PreparedStatement query =
            connection.prepareStatement(
                "select pid from pg_stat_activity where application_name like 'holdfast-server-%'");
        ResultSet row = query.executeQuery()) {
      while (row.next()) {
        Path status = Path.of("/proc", row.getString(1), "status");
        if (!Files.exists(status)) {
          return Double.NaN;
        }
        for (String line : Files.readAllLines(status)) {
          if (line.startsWith("RssAnon:")) {
            largest = Math.max(largest, Double.parseDouble(line.replaceAll("[^0-9]", "")));
          }
        }
      }
    }
    return largest;
  }

  private void enqueue(Bench bench) throws Exception {
    int jobs = bench.jobs(20_000, 1_000);
    try (HoldfastServer api = start(bench, "api", 10);
        BenchDatabase library = bench.server().fresh();
        HoldfastClient plain = HoldfastClient.on(library.store())) {
      OpenTenant tenant = tenant(api, 0);
      String clear =
          "delete from %s.job; delete from %s.hint".formatted(tenant.tenant().schema(), CONTROL);
      Rounds<Double> rounds =
          bench
              .<Double>rounds("tenants")
              .side(
                  "tenant",
                  () -> {
                    bench.server().execute(clear);
                    bench.server().settle();
                    return parallel(
                        jobs,
                        () ->
                            tenant.change(
                                () -> tenant.client().enqueue(TASK, NoopJobs.Payload.OF_50_BYTES)));
                  })
              .side(
                  "library",
                  () -> {
                    library.clear();
                    bench.server().settle();
                    return parallel(jobs, () -> plain.enqueue(TASK, NoopJobs.Payload.OF_50_BYTES));
                  })
              .run();
      bench
          .report()
          .add(Measure.of("tenants.enqueue", rounds.median("tenant", rate -> rate), "jobs/s"));
      bench
          .report()
          .add(
              Measure.of(
                      "tenants.enqueue_ratio",
                      rounds.ratio("tenant", "library", rate -> rate),
                      Measure.RATIO)
                  .should(Bar.atLeast(0.85)));
      bench.server().execute(clear);
    }
  }

  private static double parallel(int jobs, Runnable one) throws Exception {
    long started = System.nanoTime();
    try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
      List<Future<?>> running =
          IntStream.range(0, THREADS)
              .<Future<?>>mapToObj(any ->
                  threads.submit(() -> {
                    for (int i = 0; i < jobs / THREADS; i++) {
                      one.run();
                    }
                  }))
              .toList();
      for (Future<?> thread : running) {
        thread.get();
      }
    }
    return NoopJobs.rate(jobs, Duration.ofNanos(System.nanoTime() - started));
  }

  private void drain(Bench bench, int tenants, int concurrency, double bar, String label)
      throws Exception {
    int jobs = bench.jobs(50_000, 2_000);
    try (HoldfastServer api = start(bench, "api", 10)) {
      Rounds<Double> rounds =
          bench
              .<Double>rounds("tenants")
              .side("one", () -> drainOnce(bench, api, 1, jobs, concurrency))
              .side("spread", () -> drainOnce(bench, api, tenants, jobs, concurrency))
              .run();
      bench.report().add(Measure.of(label, rounds.median("spread", rate -> rate), "jobs/s"));
      bench
          .report()
          .add(
              Measure.of(
                      label + "_ratio", rounds.ratio("spread", "one", rate -> rate), Measure.RATIO)
                  .should(Bar.atLeast(bar)));
    }
  }

  private double drainOnce(Bench bench, HoldfastServer api, int tenants, int jobs, int concurrency)
      throws Exception {
    counter.reset();
    for (int i = 0; i < tenants; i++) {
      enqueue(api, i, jobs / tenants);
    }
    bench.server().settle();
    try (HoldfastServer worker = start(bench, "worker,scheduler", concurrency)) {
      await(() -> counter.ran.get() >= jobs / tenants * tenants && worker.activeTenants() > 0);
    }
    return NoopJobs.rate(jobs / tenants * tenants, counter.took());
  }

  private static void upgrade(Bench bench, int tenants) throws Exception {
    bench.say("tenants", "migrating %d tenants".formatted(tenants));
    Address address = bench.server().address();
    PostgresSettings settings = address.settings(CONTROL).poolSize(4).build();
    try (SharedConnections connections = SharedConnections.open(settings);
        ControlDatabase control =
            ControlDatabase.connect(
                new DatabaseAddress(address.url(), address.user(), address.password()), CONTROL)) {
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
      bench.report().add(Measure.of("tenants.upgrade", seconds, "s").should(Bar.atMost(60)));
    }
  }

  private interface Condition {
    boolean holds() throws Exception;
  }

  private static void await(Condition condition) throws Exception {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!condition.holds()) {
      if (System.nanoTime() - end > 0) {
        throw new IllegalStateException("Nothing happened for " + LIMIT);
      }
      Thread.sleep(5);
    }
  }
}
