package dev.holdfast.bench.packages;

import bench.sample.ProcessMemory;
import bench.sample.SampleModule;
import dev.holdfast.bench.harness.Bar;
import dev.holdfast.bench.harness.Bench;
import dev.holdfast.bench.harness.Measure;
import dev.holdfast.bench.packages.PackageServers.Place;
import dev.holdfast.server.boot.HoldfastServer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Measures what versions leave in memory after they were replaced: the heap and the metaspace after
 * garbage collections, once after the first versions, when everything has been used that is created
 * once, and again after all.
 *
 * <p>First all versions are pushed one after another, and a run of each runs in the process of the
 * tenant. Then a server that trusts packages deletes them one after another: each time, the version
 * before becomes the newest, is loaded, and runs in the process of the server.
 */
final class VersionMemory {
  /**
   * A version that stayed loaded would keep 256 KB of heap and about as much metaspace, see {@code
   * bench.sample.Ballast}. Of 180 versions, these bars find 20 that stay. They also leave room for
   * rows about 180 versions and for code that happens to run late for the first time: both depend
   * on the server, and not on how large packages are.
   */
  private static final Bar HEAP = Bar.atMost(5);

  private static final Bar METASPACE = Bar.atMost(3);

  /** The process of a server whose packages run in other processes. */
  private static final String SERVER = "server";

  private final Bench bench;
  private final PackageServers servers;
  private final SamplePackage sample;
  private final int versions;
  private final int first;

  VersionMemory(Bench bench, PackageServers servers, SamplePackage sample, int versions) {
    this.bench = bench;
    this.servers = servers;
    this.sample = sample;
    this.versions = versions;
    this.first = Math.max(1, Math.min(20, versions / 3));
  }

  void measure() throws Exception {
    TenantApi tenant = push();
    replaceInServer(tenant);
  }

  private TenantApi push() throws Exception {
    try (HoldfastServer server = servers.start(Place.CHILD, PackageServers.QUEUE)) {
      TenantApi tenant = servers.create(server, "versions");
      @Nullable ProcessMemory childBefore = null;
      @Nullable ProcessMemory serverBefore = null;
      for (int number = 1; number <= versions; number++) {
        tenant.push(sample.jar(name(number), 0));
        run(tenant, "pushed", number);
        if (number == first) {
          childBefore = ofChild(tenant);
          serverBefore = ProcessMemory.measure();
        }
      }
      report("child", childBefore, ofChild(tenant));
      report(SERVER, serverBefore, ProcessMemory.measure());
      return tenant;
    }
  }

  private void replaceInServer(TenantApi pushed) throws Exception {
    try (HoldfastServer server = servers.start(Place.SERVER, PackageServers.QUEUE)) {
      TenantApi tenant = pushed.at(server.url());
      @Nullable ProcessMemory before = null;
      for (int number = versions; number > 1; number--) {
        run(tenant, "in the server", versions - number + 1);
        tenant.delete(name(number));
        if (versions - number + 1 == first) {
          before = ProcessMemory.measure();
        }
      }
      run(tenant, "in the server", versions);
      report("trusted", before, ProcessMemory.measure());
    }
  }

  private static String name(int number) {
    return "1." + number;
  }

  private void run(TenantApi tenant, String what, int number) throws Exception {
    if (number % 20 == 0) {
      bench.say("packages", "%s: %d of %d versions".formatted(what, number, versions));
    }
    var unused = tenant.result(tenant.startRun(SampleModule.FLOW.name()));
  }

  /** In a job: the process has no other way to tell. */
  private static ProcessMemory ofChild(TenantApi tenant) throws Exception {
    return ProcessMemory.parse(
        tenant.result(tenant.enqueue(SampleModule.MEMORY.name(), PackageServers.QUEUE)));
  }

  private void report(String what, @Nullable ProcessMemory earlier, ProcessMemory after) {
    ProcessMemory before = Objects.requireNonNull(earlier);
    String name = "packages.versions_" + what;
    bench
        .report()
        .add(
            Measure.of(name + "_heap", megabytes(after.heap() - before.heap()), "MB").should(HEAP));
    bench
        .report()
        .add(
            Measure.of(name + "_metaspace", megabytes(after.metaspace() - before.metaspace()), "MB")
                .should(METASPACE));
    if (!what.equals(SERVER)) { // It runs no code of a package.
      bench
          .report()
          .add(Measure.of(name + "_loaded", after.versions(), "versions").should(Bar.atMost(1)));
    }
    bench
        .report()
        .note(
            "packages: from version %d to %d, the %s used %.1f to %.1f MB of heap and %.1f to %.1f MB of metaspace."
                .formatted(
                    first,
                    versions,
                    what,
                    megabytes(before.heap()),
                    megabytes(after.heap()),
                    megabytes(before.metaspace()),
                    megabytes(after.metaspace())));
  }

  private static double megabytes(long bytes) {
    return bytes / (double) (1 << 20);
  }
}
