package dev.holdfast.bench.packages;

import bench.sample.SampleModule;
import dev.holdfast.bench.harness.Bar;
import dev.holdfast.bench.harness.Bench;
import dev.holdfast.bench.harness.BenchException;
import dev.holdfast.bench.harness.Measure;
import dev.holdfast.bench.harness.Micros;
import dev.holdfast.bench.harness.Quantiles;
import dev.holdfast.bench.packages.PackageServers.Place;
import dev.holdfast.server.boot.HoldfastServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures how soon a large package runs: from the first byte of its upload until the handler of
 * the first step of its first run starts. In each round it is the first package of a new tenant, so
 * that the start of the tenant's process counts, too.
 */
final class PushTime {
  private static final int SIZE = 20 << 20;
  private static final Duration TO_END = Duration.ofMinutes(1);

  private final Bench bench;
  private final PackageServers servers;
  private final SamplePackage sample;

  PushTime(Bench bench, PackageServers servers, SamplePackage sample) {
    this.bench = bench;
    this.servers = servers;
    this.sample = sample;
  }

  void measure() throws Exception {
    List<Double> pushes = new ArrayList<>();
    List<Double> runs = new ArrayList<>();
    try (HoldfastServer server = servers.start(Place.CHILD, PackageServers.QUEUE)) {
      for (int round = 0; round <= bench.roundCount(); round++) {
        bench.say(
            "packages",
            round == 0
                ? "warm-up of a push of 20 MB"
                : "push %d of %d of 20 MB".formatted(round, bench.roundCount()));
        String version = "push-" + round;
        byte[] jar = sample.jar(version, SIZE);
        TenantApi tenant = servers.create(server, version);
        bench.server().settle();
        long started = Micros.now();
        tenant.push(jar);
        long pushed = Micros.now();
        String run = tenant.startRun(SampleModule.FLOW.name());
        long ran = Long.parseLong(tenant.result(run));
        if (round > 0) {
          pushes.add((pushed - started) / 1e6);
          runs.add((ran - started) / 1e6);
        }
        tenant.delete(version);
        // The next round must not share the machine with this process.
        awaitNone(server);
      }
    }
    bench.report().add(Measure.of("packages.push_s", Quantiles.median(pushes), "s"));
    bench
        .report()
        .add(
            Measure.of("packages.push_to_run_s", Quantiles.median(runs), "s")
                .should(Bar.atMost(5)));
  }

  private static void awaitNone(HoldfastServer server) throws InterruptedException {
    long end = System.nanoTime() + TO_END.toNanos();
    while (!server.loadedPackages().isEmpty()) {
      if (System.nanoTime() - end > 0) {
        throw new BenchException(
            "%s were deleted, and are still loaded after %d s."
                .formatted(server.loadedPackages(), TO_END.toSeconds()));
      }
      Thread.sleep(10);
    }
    Thread.sleep(500); // The process has been told to end, and does so soon.
  }
}
