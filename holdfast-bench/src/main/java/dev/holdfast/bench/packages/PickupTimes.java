package dev.holdfast.bench.packages;

import bench.sample.SampleModule;
import dev.holdfast.bench.harness.Bar;
import dev.holdfast.bench.harness.Bench;
import dev.holdfast.bench.harness.Measure;
import dev.holdfast.bench.harness.Micros;
import dev.holdfast.bench.harness.Quantiles;
import dev.holdfast.bench.harness.Rounds;
import dev.holdfast.bench.packages.PackageServers.Place;
import dev.holdfast.server.boot.HoldfastServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Compares how soon a job of a package starts in the process of its tenant and in that of the
 * server. Each side has a server, which receives its jobs over HTTP and runs them; both have the
 * same package of the same tenant, and take turns. The times are those of the wall clock, which all
 * processes of the machine share: from just before the request to the start of the handler.
 */
final class PickupTimes {
  private static final String VERSION = "pickup";

  /** Until most jobs have ended, so that looking for their results does not delay them. */
  private static final long TO_END_MILLIS = 15;

  private final Bench bench;
  private final PackageServers servers;
  private final SamplePackage sample;
  private final Random random = new Random(1);

  PickupTimes(Bench bench, PackageServers servers, SamplePackage sample) {
    this.bench = bench;
    this.servers = servers;
    this.sample = sample;
  }

  void measure() throws Exception {
    int jobs = bench.jobs(200, 10);
    try (HoldfastServer trusting = servers.start(Place.SERVER, "in-server")) {
      TenantApi inServer = servers.create(trusting, "pickup");
      inServer.push(sample.jar(VERSION, 0));
      try (HoldfastServer other = servers.start(Place.CHILD, "in-child")) {
        TenantApi inChild = inServer.at(other.url());
        Rounds<Double> rounds =
            bench
                .<Double>rounds("packages")
                .side("job in the server", () -> median(inServer, "in-server", jobs))
                .side("job in a child process", () -> median(inChild, "in-child", jobs))
                .run();
        double server = rounds.median("job in the server", millis -> millis);
        double child = rounds.median("job in a child process", millis -> millis);
        bench.report().add(Measure.of("packages.pickup_server_ms", server, "ms"));
        bench.report().add(Measure.of("packages.pickup_child_ms", child, "ms"));
        bench
            .report()
            .add(
                Measure.of("packages.pickup_extra_ms", child - server, "ms").should(Bar.atMost(5)));
      }
      inServer.delete(VERSION);
    }
  }

  private double median(TenantApi tenant, String queue, int jobs) throws Exception {
    List<Double> millis = new ArrayList<>();
    for (int i = 0; i < jobs; i++) {
      long sent = Micros.now();
      String job = tenant.enqueue(SampleModule.STARTED.name(), queue);
      Thread.sleep(TO_END_MILLIS);
      millis.add((Long.parseLong(tenant.result(job)) - sent) / 1e3);
      // Irregular, so that no timer of the server is met again and again.
      Thread.sleep(random.nextInt(20));
    }
    return Quantiles.of(millis, 0.50);
  }
}
