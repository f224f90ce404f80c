package dev.holdfast.bench;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.JobRequest;
import dev.holdfast.bench.harness.Bar;
import dev.holdfast.bench.harness.Bench;
import dev.holdfast.bench.harness.BenchCommand;
import dev.holdfast.bench.harness.BenchDatabase;
import dev.holdfast.bench.harness.BenchServer;
import dev.holdfast.bench.harness.Child;
import dev.holdfast.bench.harness.Measure;
import dev.holdfast.bench.harness.NoopJobs;
import dev.holdfast.bench.harness.Quantiles;
import dev.holdfast.bench.harness.Report;
import dev.holdfast.bench.harness.Rounds;
import dev.holdfast.engine.client.HoldfastClient;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import picocli.CommandLine.Command;

/** Measures how fast jobs are enqueued. */
@Command(
    name = "enqueue",
    description =
        "Enqueue 100k jobs in bulk and compare with a bare multi-row insert; then enqueue jobs one"
            + " at a time; then one at a time with 8 threads in new processes, and compare with"
            + " db-scheduler and with a bare insert.")
public final class EnqueueBench extends BenchCommand {
  private static final String INSERT =
      """
      insert into %s.job (id, created_at, run_at, rank, priority, state, queue, task, payload)
      select id, now(), now(), now() + ordinal * interval '1 microsecond', priority, 'READY',
             queue, task, payload
      from unnest(?::uuid[], ?::smallint[], ?::text[], ?::text[], ?::text[]) with ordinality
        u(id, priority, queue, task, payload, ordinal)
      """;
  private static final String PAYLOAD = "{\"text\":\"%s\"}".formatted("x".repeat(39));

  @Override
  public void measure(Bench bench) throws Exception {
    int jobs = bench.jobs(100_000, 10_000);
    try (BenchDatabase database = bench.server().fresh();
        Holdfast client = HoldfastClient.on(database.store());
        Connection connection = bench.server().connect()) {
      Rounds<Double> rounds =
          bench
              .<Double>rounds("enqueue")
              .side("bulk", () -> bulk(bench.server(), database, client, jobs))
              .side("bare", () -> bare(bench.server(), database, connection, jobs))
              .run();
      Report report = bench.report();
      report.add(Measure.of("enqueue.bulk", rounds.median("bulk", r -> r), "jobs/s"));
      report.add(Measure.of("enqueue.bare", rounds.median("bare", r -> r), "jobs/s"));
      report.add(
          Measure.of("enqueue.ratio", rounds.ratio("bulk", "bare", r -> r), Measure.RATIO)
              .should(Bar.atLeast(0.80)));
      oneByOne(bench, database, client);
      inThreads(bench, database);
    }
  }

  private static void inThreads(Bench bench, BenchDatabase database) throws Exception {
    int jobs = bench.quick() ? 200 : 20_000;
    JavaPeers.silence();
    try (PeerTables peer = PeerTables.of(bench.server(), JavaPeers.DB_SCHEDULER)) {
      Rounds<Double> rounds = bench.<Double>rounds("enqueue.threads").withoutWarmUp();
      for (EnqueueChild.Kind kind : EnqueueChild.Kind.values()) {
        rounds.side(kind.name(), () -> inThreads(bench.server(), database, peer, kind, jobs));
      }
      rounds.run();
      Report report = bench.report();
      String own = EnqueueChild.Kind.HOLDFAST.name();
      String bare = EnqueueChild.Kind.BARE.name();
      String other = EnqueueChild.Kind.DB_SCHEDULER.name();
      report.add(Measure.of("enqueue.threads", rounds.median(own, r -> r), "jobs/s"));
      report.add(Measure.of("enqueue.threads_bare", rounds.median(bare, r -> r), "jobs/s"));
      report.add(
          Measure.of("enqueue.threads_db_scheduler", rounds.median(other, r -> r), "jobs/s"));
      report.add(
          Measure.of("enqueue.threads_ratio", rounds.ratio(own, other, r -> r), Measure.RATIO)
              .should(Bar.atLeast(1)));
      report.add(
          Measure.of("enqueue.threads_bare_ratio", rounds.ratio(own, bare, r -> r), Measure.RATIO)
              .should(Bar.atLeast(0.90)));
    }
  }

  /** Enqueues jobs in a new process, and returns the jobs per second, without its start. */
  private static double inThreads(
      BenchServer server, BenchDatabase database, PeerTables peer, EnqueueChild.Kind kind, int jobs)
      throws Exception {
    database.clear();
    peer.fill(0);
    server.settle();
    try (Child child =
        Child.start(
            server,
            database.schema(),
            "enqueue-child",
            "--kind",
            kind.name(),
            "--tables",
            peer.schema())) {
      child.await(Child.READY);
      child.tell(Integer.toString(jobs));
      return jobs / (child.await(Child.DONE)[0] / 1e6);
    }
  }

  private static double bulk(BenchServer server, BenchDatabase database, Holdfast client, int jobs)
      throws SQLException {
    database.clear();
    server.settle();
    List<? extends JobRequest<?, ?>> requests = NoopJobs.requests(Math.min(jobs, NoopJobs.CHUNK));
    long started = System.nanoTime();
    int done = 0;
    while (done < jobs) {
      done += client.enqueueAll(requests).size();
    }
    return NoopJobs.rate(done, Duration.ofNanos(System.nanoTime() - started));
  }

  /**
   * Inserts the same rows with one bare multi-row insert for each chunk. The rows are passed as
   * arrays, which is faster than {@code values (...), (...)} with a parameter for each cell.
   */
  private static double bare(
      BenchServer server, BenchDatabase database, Connection connection, int jobs)
      throws SQLException {
    database.clear();
    server.settle();
    int chunk = Math.min(jobs, NoopJobs.CHUNK);
    List<UUID> ids = ids(jobs + chunk);
    long started = System.nanoTime();
    int done = 0;
    try (PreparedStatement insert =
        connection.prepareStatement(INSERT.formatted(database.schema()))) {
      while (done < jobs) {
        insert.setArray(
            1, connection.createArrayOf("uuid", ids.subList(done, done + chunk).toArray()));
        insert.setArray(2, array(connection, "int2", chunk, (short) 4));
        insert.setArray(3, array(connection, "text", chunk, NoopJobs.QUEUE));
        insert.setArray(4, array(connection, "text", chunk, NoopJobs.TASK.name()));
        insert.setArray(5, array(connection, "text", chunk, PAYLOAD));
        done += insert.executeUpdate();
      }
    }
    return NoopJobs.rate(done, Duration.ofNanos(System.nanoTime() - started));
  }

  private static Array array(Connection connection, String type, int count, Object value)
      throws SQLException {
    return connection.createArrayOf(type, Collections.nCopies(count, value).toArray());
  }

  /** Returns increasing ids, as jobs have. */
  private static List<UUID> ids(int count) {
    long millis = System.currentTimeMillis();
    List<UUID> ids = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      ids.add(new UUID((millis << 16) | 0x7000 | (i >>> 12), 0x8000000000000000L | i));
    }
    return ids;
  }

  private static void oneByOne(Bench bench, BenchDatabase database, Holdfast client)
      throws SQLException {
    int jobs = bench.quick() ? 200 : 5_000;
    bench.say("enqueue", "%d jobs one at a time".formatted(jobs));
    database.clear();
    bench.server().settle();
    List<Double> millis = new ArrayList<>();
    long started = System.nanoTime();
    for (int i = 0; i < jobs; i++) {
      long asked = System.nanoTime();
      client.enqueue(NoopJobs.TASK, NoopJobs.Payload.OF_50_BYTES);
      millis.add((System.nanoTime() - asked) / 1e6);
    }
    Report report = bench.report();
    report.add(
        Measure.of(
            "enqueue.single",
            NoopJobs.rate(jobs, Duration.ofNanos(System.nanoTime() - started)),
            "jobs/s"));
    report.add(Measure.of("enqueue.single_p50", Quantiles.of(millis, 0.50), "ms"));
    report.add(Measure.of("enqueue.single_p99", Quantiles.of(millis, 0.99), "ms"));
  }
}
