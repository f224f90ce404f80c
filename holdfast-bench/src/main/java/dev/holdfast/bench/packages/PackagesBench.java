package dev.holdfast.bench.packages;

import dev.holdfast.bench.harness.Bench;
import dev.holdfast.bench.harness.BenchCommand;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures what packages cost a server and its tenants. */
@Command(
    name = "packages",
    description = {
      "Measure how soon a job of a package starts in the process of its tenant, compared with the"
          + " process of the server; how soon a new package of 20 MB runs; and the memory that 200"
          + " versions leave behind, one replaced by the next.",
      "On a database that you give, it creates schemas holdfast_control, holdfast_t1 and so on, and"
          + " refuses to run if there are any."
    })
public final class PackagesBench extends BenchCommand {
  private static final int VERSIONS = 200;

  /** What is measured. */
  enum Part {
    PICKUP,
    PUSH,
    VERSIONS
  }

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "PART",
      description = "Run only these parts: ${COMPLETION-CANDIDATES}.")
  private Set<Part> only = EnumSet.allOf(Part.class);

  @Option(
      names = "--versions",
      paramLabel = "N",
      description = "How many versions to push. Defaults to 200, or to 6 with --quick.")
  private @Nullable Integer versions;

  @Override
  public void measure(Bench bench) throws Exception {
    if (bench.server().number("select count(*) from pg_namespace where nspname like 'holdfast\\_%'")
        > 0) {
      bench
          .report()
          .note("packages was not measured: the database has schemas of Holdfast already.");
      return;
    }
    PackageServers servers = new PackageServers(bench);
    try (SamplePackage sample = new SamplePackage()) {
      if (only.contains(Part.PICKUP)) {
        new PickupTimes(bench, servers, sample).measure();
      }
      if (only.contains(Part.PUSH)) {
        new PushTime(bench, servers, sample).measure();
      }
      if (only.contains(Part.VERSIONS)) {
        int count = versions != null ? versions : bench.quick() ? 6 : VERSIONS;
        new VersionMemory(bench, servers, sample, count).measure();
      }
    }
  }
}
