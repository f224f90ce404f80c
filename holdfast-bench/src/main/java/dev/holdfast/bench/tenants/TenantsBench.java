package dev.holdfast.bench.tenants;

import dev.holdfast.bench.harness.Bar;
import dev.holdfast.bench.harness.Bench;
import dev.holdfast.bench.harness.BenchCommand;
import dev.holdfast.bench.harness.BenchDatabase;
import dev.holdfast.bench.harness.Measure;
import dev.holdfast.bench.harness.NoopJobs;
import dev.holdfast.bench.harness.Rounds;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.server.boot.HoldfastServer;
import dev.holdfast.server.tenant.OpenTenant;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures what many tenants cost a server. */
@Command(
    name = "tenants",
    description = {
      "Compare a server with many tenants to one with a single tenant.",
      "Idle load, draining, enqueueing, memory of the database, single jobs beside a million jobs"
          + " of another tenant, and an upgrade of all tenants under load. On a database that you"
          + " give, it creates schemas holdfast_t1, holdfast_t2 and so on, and refuses to run if"
          + " there are any."
    })
public final class TenantsBench extends BenchCommand {
  /** As many as a tenant has connections. */
  private static final int THREADS = 4;

  private static final int FEW = 100;

  /** What is measured. */
  enum Part {
    IDLE,
    MEMORY,
    ENQUEUE,
    DRAIN,
    FAIR,
    UPGRADE
  }

  @Option(
      names = "--tenants",
      paramLabel = "N",
      description = "How many tenants to create. Defaults to 1000.")
  private int many = 1_000;

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "PART",
      description = "Run only these parts: ${COMPLETION-CANDIDATES}.")
  private Set<Part> only = EnumSet.allOf(Part.class);

  @Override
  public void measure(Bench bench) throws Exception {
    if (bench
            .server()
            .number("select count(*) from pg_namespace where nspname like 'holdfast\\_t%'")
        > 0) {
      bench.report().note("tenants was not measured: the database has schemas of tenants already.");
      return;
    }
    TenantServers servers = new TenantServers(bench);
    int tenants = Math.min(bench.quick() ? Math.max(20, FairShare.OTHERS + 1) : many, needed());
    create(bench, servers, tenants);
    if (only.contains(Part.ENQUEUE)) {
      enqueue(bench, servers);
    }
    if (only.contains(Part.DRAIN)) {
      int few = Math.min(FEW, tenants);
      drain(bench, servers, new Spread(few, 10_000, "tenants.drain_100_a_visit"), 0.70);
      drain(bench, servers, new Spread(few, 1_000, "tenants.drain_10_a_visit"), 0.45);
    }
    if (only.contains(Part.FAIR)) {
      new FairShare(bench, servers).measure();
    }
    if (only.contains(Part.UPGRADE)) {
      new UpgradeTime(bench, servers).measure(tenants);
    }
  }

  /** Returns how many tenants the chosen parts need. */
  private int needed() {
    if (only.contains(Part.IDLE) || only.contains(Part.MEMORY) || only.contains(Part.UPGRADE)) {
      return Integer.MAX_VALUE;
    }
    return FEW;
  }

  private void create(Bench bench, TenantServers servers, int tenants) throws Exception {
    IdleCost idle = new IdleCost(bench);
    boolean counts = only.contains(Part.IDLE);
    IdleCost.Cost none = new IdleCost.Cost(Double.NaN, Double.NaN);
    try (HoldfastServer server = servers.start("worker,scheduler", NoopJobs.CONCURRENCY)) {
      IdleCost.Cost one = counts ? idle.of(server, "1 tenant") : none;
      servers.create(server, tenants);
      if (counts) {
        idle.report(one, idle.of(server, tenants + " tenants"));
      }
      if (only.contains(Part.MEMORY)) {
        bench.say("tenants", "running 10 jobs in each of %d tenants".formatted(tenants));
        servers.counter().reset();
        for (int i = 0; i < tenants; i++) {
          TenantServers.enqueue(server, i, 10);
        }
        TenantServers.await(() -> servers.counter().ran() == tenants * 10);
        idle.reportMemory();
      }
    }
  }

  private static void enqueue(Bench bench, TenantServers servers) throws Exception {
    int jobs = bench.jobs(20_000, 1_000);
    try (HoldfastServer api = servers.start("api", 10);
        BenchDatabase library = bench.server().fresh();
        HoldfastClient plain = HoldfastClient.on(library.store())) {
      OpenTenant tenant = TenantServers.tenant(api, 0);
      String clear =
          "delete from %s.job; delete from %s.hint"
              .formatted(tenant.tenant().schema(), TenantServers.CONTROL);
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
                            tenant.change(() ->
                                tenant
                                    .client()
                                    .enqueue(NoopJobs.TASK, NoopJobs.Payload.OF_50_BYTES)));
                  })
              .side(
                  "library",
                  () -> {
                    library.clear();
                    bench.server().settle();
                    return parallel(
                        jobs, () -> plain.enqueue(NoopJobs.TASK, NoopJobs.Payload.OF_50_BYTES));
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

  /**
   * How jobs are spread.
   *
   * @param concurrency of the node; decides how many jobs it claims in a visit
   */
  private record Spread(int tenants, int concurrency, String label) {
    Spread overOne() {
      return new Spread(1, concurrency, label);
    }
  }

  private static void drain(Bench bench, TenantServers servers, Spread spread, double bar)
      throws Exception {
    int jobs = bench.jobs(50_000, 2_000);
    try (HoldfastServer api = servers.start("api", 10)) {
      Rounds<Double> rounds =
          bench
              .<Double>rounds("tenants")
              .side("one", () -> drainOnce(bench, servers, api, spread.overOne(), jobs))
              .side("spread", () -> drainOnce(bench, servers, api, spread, jobs))
              .run();
      bench
          .report()
          .add(Measure.of(spread.label(), rounds.median("spread", rate -> rate), "jobs/s"));
      bench
          .report()
          .add(
              Measure.of(
                      spread.label() + "_ratio",
                      rounds.ratio("spread", "one", rate -> rate),
                      Measure.RATIO)
                  .should(Bar.atLeast(bar)));
    }
  }

  private static double drainOnce(
      Bench bench, TenantServers servers, HoldfastServer api, Spread spread, int jobs)
      throws Exception {
    int each = jobs / spread.tenants();
    int all = each * spread.tenants();
    servers.counter().reset();
    for (int i = 0; i < spread.tenants(); i++) {
      TenantServers.enqueue(api, i, each);
    }
    bench.server().settle();
    try (HoldfastServer worker = servers.start("worker,scheduler", spread.concurrency())) {
      TenantServers.await(() -> servers.counter().ran() >= all && worker.activeTenants() > 0);
    }
    return NoopJobs.rate(all, servers.counter().took());
  }
}
