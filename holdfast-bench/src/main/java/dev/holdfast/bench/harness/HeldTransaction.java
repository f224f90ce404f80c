package dev.holdfast.bench.harness;

import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.store.NodeSnapshot;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Drains jobs continuously while an open transaction prevents vacuum from removing the rows of
 * finished jobs, and compares the last rate with the first.
 */
public final class HeldTransaction {
  /** Enough to keep a node busy, and few compared with the number of finished jobs. */
  private static final int BACKLOG = 30_000;

  /** Twice the heartbeat interval, and a third of the timeout after which other nodes take over. */
  private static final Duration LONGEST_SILENCE = Duration.ofSeconds(20);

  private static final Duration LOOK_EVERY = Duration.ofMillis(5);

  /** More than are ever running, so that only counting them costs time. */
  private static final int LIMIT = 10 * NoopJobs.CONCURRENCY;

  private final Bench bench;
  private final boolean limited;
  private final String name;

  /**
   * Prepares a measurement.
   *
   * @param limited whether the queue has a limit
   */
  public HeldTransaction(Bench bench, boolean limited) {
    this.bench = bench;
    this.limited = limited;
    this.name = limited ? "growth.held_limited" : "growth.held";
  }

  public void measure(Duration length, Duration window) throws Exception {
    AtomicInteger ran = new AtomicInteger();
    AtomicBoolean enough = new AtomicBoolean();
    try (BenchDatabase database = bench.server().fresh();
        ExecutorService threads = Executors.newSingleThreadExecutor();
        HoldfastNode node = NoopJobs.start(database.store(), ran)) {
      if (limited) {
        node.client().queues().limit(NoopJobs.QUEUE, LIMIT);
      }
      Future<?> producer = threads.submit(() -> produce(database, ran, enough));
      try {
        bench.say("growth", "warm-up of node %s".formatted(node.id()));
        rate(ran, window);
        try (Connection held = hold()) {
          bench.say("growth", "holding a transaction open for %s".formatted(length));
          double first = rate(ran, window);
          watch(ran, length.minus(window.multipliedBy(2)));
          double last = rate(ran, window);
          Duration silence = silence(database, node);
          held.rollback();
          report(first, last, silence);
        }
      } finally {
        enough.set(true);
        producer.get();
      }
    }
  }

  private void report(double first, double last, Duration silence) {
    bench.report().add(Measure.of(name + "_first", first, "jobs/s"));
    bench.report().add(Measure.of(name + "_last", last, "jobs/s"));
    bench
        .report()
        .add(Measure.of(name + "_ratio", last / first, Measure.RATIO).should(Bar.atLeast(0.80)));
    bench
        .report()
        .add(
            Measure.of(name + "_silence", silence.toMillis() / 1e3, "s")
                .should(Bar.atMost((double) LONGEST_SILENCE.toSeconds())));
  }

  /**
   * Returns the time since the node's last heartbeat: even a fast node must not miss heartbeats.
   */
  private static Duration silence(BenchDatabase database, HoldfastNode node) {
    return database.store().nodes().list().stream()
        .filter(status -> status.registration().incarnation().equals(node.incarnation()))
        .map(NodeSnapshot::sinceLastHeartbeat)
        .findFirst()
        .orElseThrow(() -> new BenchException("The node is no longer registered."));
  }

  private Connection hold() throws SQLException {
    Connection connection = bench.server().connect();
    connection.setAutoCommit(false);
    connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    try (Statement statement = connection.createStatement()) {
      statement.execute("select count(*) from pg_class");
    }
    return connection;
  }

  private static void produce(BenchDatabase database, AtomicInteger ran, AtomicBoolean enough) {
    int enqueued = 0;
    while (!enough.get()) {
      if (enqueued - ran.get() < BACKLOG) {
        NoopJobs.enqueue(database.store(), NoopJobs.CHUNK);
        enqueued += NoopJobs.CHUNK;
      } else {
        LockSupport.parkNanos(LOOK_EVERY.toNanos());
      }
    }
  }

  /** Prints the rate every 30 seconds. */
  private void watch(AtomicInteger ran, Duration length) throws InterruptedException {
    long end = System.nanoTime() + length.toNanos();
    Duration step = Duration.ofSeconds(30);
    while (System.nanoTime() < end) {
      Duration left = Duration.ofNanos(end - System.nanoTime());
      double now = rate(ran, left.compareTo(step) < 0 ? left : step);
      bench.say("growth", "%.0f jobs/s".formatted(now));
    }
  }

  private static double rate(AtomicInteger ran, Duration window) throws InterruptedException {
    long started = System.nanoTime();
    int before = ran.get();
    Thread.sleep(window);
    return NoopJobs.rate(ran.get() - before, Duration.ofNanos(System.nanoTime() - started));
  }
}
