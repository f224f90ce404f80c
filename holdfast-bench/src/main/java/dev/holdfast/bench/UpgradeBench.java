package dev.holdfast.bench;

import dev.holdfast.bench.harness.Bar;
import dev.holdfast.bench.harness.Bench;
import dev.holdfast.bench.harness.BenchCommand;
import dev.holdfast.bench.harness.BenchException;
import dev.holdfast.bench.harness.BenchServer;
import dev.holdfast.bench.harness.Child;
import dev.holdfast.bench.harness.Measure;
import dev.holdfast.bench.harness.NoopJobs;
import dev.holdfast.bench.harness.Report;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Runs a node of an earlier version and one of this version on the same tables, under load: the
 * earlier one creates them, this one migrates them while the other works, both work together, and
 * then the earlier one works alone on the migrated tables.
 */
@Command(
    name = "upgrade",
    description = {
      "Upgrade a database under load while a node of an earlier version works, and back again.",
      "Builds the earlier version from the git repository in the current folder, with Maven."
    })
public final class UpgradeBench extends BenchCommand {
  private static final String SCHEMA = "holdfast_upgrade";

  /** The last commit before the tables got epochs of tokens. */
  private static final String EARLIER = "4a543068";

  private static final long BUILD_MINUTES = 20;
  private static final int BATCH = 1_000;
  private static final int BACKLOG = 5_000;
  private static final Duration LOOK_EVERY = Duration.ofMillis(20);

  // The columns that all versions have. As an enqueue, it commits before it counts.
  private static final String INSERT =
      """
      insert into %s.job (id, created_at, run_at, rank, priority, state, queue, task, payload)
      select gen_random_uuid(), now(), now(), now(), 4, 'READY', ?, ?, ?
      from generate_series(1, ?)
      """;

  @Option(
      names = "--from",
      paramLabel = "COMMIT",
      defaultValue = EARLIER,
      description = "The earlier version, as git names it. Defaults to ${DEFAULT-VALUE}.")
  private String from = EARLIER;

  /** Returns false: what is lost once needs no second round. */
  @Override
  protected boolean takesTurns() {
    return false;
  }

  @Override
  public void measure(Bench bench) throws Exception {
    int jobs = bench.jobs(200_000, 60_000);
    Path folder = Files.createTempDirectory("holdfast-upgrade-");
    BenchServer server = bench.server();
    server.execute("drop schema if exists %s cascade".formatted(SCHEMA));
    bench.say("upgrade", "building %s in %s".formatted(from, folder));
    String earlier = build(folder);
    try (Child old = Child.start(List.of(earlier), server, SCHEMA, "drain-child")) {
      old.await(Child.READY);
      int before = version(server);
      bench.say("upgrade", "%s works on version %d, this version joins".formatted(from, before));
      CompletableFuture<Void> load = load(server, jobs);
      awaitBacklog(server);
      old.tell("go");
      long ranNew;
      long ranOld;
      try (Child fresh = Child.start(server, SCHEMA, "drain-child")) {
        fresh.await(Child.READY);
        int after = version(server);
        bench.say("upgrade", "both work on version %d".formatted(after));
        fresh.tell("go");
        load.join();
        ranOld = old.await(Child.DONE)[0];
        ranNew = fresh.await(Child.DONE)[0];
        report(bench.report(), server, before, after, jobs, ranOld, ranNew);
      }
      bench.say("upgrade", "%s works alone again".formatted(from));
      CompletableFuture<Void> more = load(server, jobs);
      awaitBacklog(server);
      old.tell("go");
      more.join();
      long ranAlone = old.await(Child.DONE)[0];
      bench
          .report()
          .add(Measure.of("upgrade.back.run", (double) ranAlone, "jobs").should(Bar.atLeast(jobs)));
      bench
          .report()
          .add(
              Measure.of("upgrade.lost", (double) (2L * jobs - succeeded(server)), "jobs")
                  .should(Bar.atMost(0)));
      bench
          .report()
          .add(
              Measure.of("upgrade.twice", (double) (ranOld + ranNew + ranAlone - 2L * jobs), "jobs")
                  .should(Bar.atMost(0)));
    } finally {
      server.execute("drop schema if exists %s cascade".formatted(SCHEMA));
    }
  }

  private static void report(
      Report report, BenchServer server, int before, int after, int jobs, long old, long fresh)
      throws SQLException {
    report.add(Measure.of("upgrade.migrations", after - before, "versions"));
    report.add(Measure.of("upgrade.both.old", (double) old, "jobs").should(Bar.atLeast(1)));
    report.add(Measure.of("upgrade.both.new", (double) fresh, "jobs").should(Bar.atLeast(1)));
    report.add(
        Measure.of("upgrade.both.lost", (double) (jobs - succeeded(server)), "jobs")
            .should(Bar.atMost(0)));
  }

  /** Builds the earlier version and returns its launcher. */
  private String build(Path folder) throws IOException, InterruptedException {
    Path archive = folder.resolve("source.tar");
    run("git", "archive", "--output=" + archive, from);
    run("tar", "-xf", archive.toString(), "-C", folder.toString());
    String launcher = folder.resolve("holdfast").toString();
    run(launcher, "--version");
    return launcher;
  }

  private static void run(String... command) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    if (!process.waitFor(BUILD_MINUTES, TimeUnit.MINUTES) || process.exitValue() != 0) {
      process.destroyForcibly();
      throw new BenchException(
          "'%s' failed: run it by hand in the folder of the repository to see why."
              .formatted(String.join(" ", command)));
    }
  }

  /** Enqueues jobs, and lets none of the nodes run out of them before all are enqueued. */
  private static CompletableFuture<Void> load(BenchServer server, int jobs) {
    return CompletableFuture.runAsync(() -> {
      try (Connection connection = server.connect();
          PreparedStatement insert = connection.prepareStatement(INSERT.formatted(SCHEMA))) {
        insert.setString(1, NoopJobs.QUEUE);
        insert.setString(2, NoopJobs.TASK.name());
        insert.setString(3, "{\"text\":\"x\"}");
        for (int done = 0; done < jobs; done += BATCH) {
          while (waiting(server) > 2 * BACKLOG) {
            LockSupport.parkNanos(LOOK_EVERY.toNanos());
          }
          insert.setInt(4, Math.min(BATCH, jobs - done));
          insert.executeUpdate();
        }
      } catch (SQLException failure) {
        throw new IllegalStateException("The load could not be written.", failure);
      }
    });
  }

  private static void awaitBacklog(BenchServer server) throws SQLException {
    while (waiting(server) < BACKLOG) {
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
    }
  }

  private static long waiting(BenchServer server) throws SQLException {
    return server.number("select count(*) from %s.job".formatted(SCHEMA));
  }

  private static long succeeded(BenchServer server) throws SQLException {
    return server.number(
        "select count(*) from %s.job_history where state = 'SUCCEEDED'".formatted(SCHEMA));
  }

  private static int version(BenchServer server) throws SQLException {
    return (int)
        server.number(
            "select max(version::int) from %s.schema_version where success".formatted(SCHEMA));
  }
}
