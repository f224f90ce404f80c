package dev.holdfast.bench.tenants;

import dev.holdfast.bench.harness.Bar;
import dev.holdfast.bench.harness.Bench;
import dev.holdfast.bench.harness.Copies;
import dev.holdfast.bench.harness.Measure;
import dev.holdfast.bench.harness.NoopJobs;
import dev.holdfast.bench.harness.Quantiles;
import dev.holdfast.server.boot.HoldfastServer;
import dev.holdfast.server.tenant.OpenTenant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Measures how long single jobs of some tenants wait beside the million jobs of another one. */
final class FairShare {
  private static final int JOBS = 1_000_000;
  private static final int SINGLES = 200;

  /** Tenants that get a single job from time to time. */
  static final int OTHERS = 20;

  private final Bench bench;
  private final TenantServers servers;

  FairShare(Bench bench, TenantServers servers) {
    this.bench = bench;
    this.servers = servers;
  }

  /** Tenant 0 has the million jobs, and the next ones get single jobs. */
  void measure() throws Exception {
    int jobs = bench.jobs(JOBS, 20_000);
    int singles = bench.quick() ? 20 : SINGLES;
    List<Double> waits = new ArrayList<>();
    try (HoldfastServer api = servers.start("api", 10)) {
      OpenTenant busy = TenantServers.tenant(api, 0);
      String schema = busy.tenant().schema();
      TenantServers.enqueue(api, 0, 1);
      bench.say("tenants", "inserting %d jobs into one tenant".formatted(jobs));
      new Copies(bench.server(), schema).make("job", "state = 'READY'", 1, jobs - 1);
      bench.server().settle();
      servers.counter().reset();
      servers.started().clear();
      try (HoldfastServer worker = servers.start("worker,scheduler", NoopJobs.CONCURRENCY)) {
        TenantServers.await(() -> servers.counter().ran() > 0 && worker.activeTenants() > 0);
        bench.say("tenants", "enqueueing %d single jobs in other tenants".formatted(singles));
        for (int i = 0; i < singles && servers.counter().ran() < jobs; i++) {
          String text = "single-" + i;
          long enqueued = System.nanoTime();
          TenantServers.enqueueTimed(api, 1 + i % OTHERS, text);
          TenantServers.await(() -> servers.started().containsKey(text));
          waits.add((servers.started().getOrDefault(text, enqueued) - enqueued) / 1e6);
          Thread.sleep(50);
        }
      }
      bench
          .report()
          .note(
              "tenants: %d jobs of the busy tenant ran while %d single jobs waited."
                  .formatted(servers.counter().ran(), waits.size()));
      bench.server().execute("truncate %s.job".formatted(schema));
    }
    bench.report().add(Measure.of("tenants.single_job_p50", Quantiles.median(waits), "ms"));
    bench
        .report()
        .add(
            Measure.of("tenants.single_job_longest", Collections.max(waits), "ms")
                .should(Bar.atMost(1_000)));
  }
}
