package dev.holdfast.bench;

import dev.holdfast.bench.harness.ChildCommand;
import dev.holdfast.bench.harness.Micros;
import dev.holdfast.bench.harness.NoopJobs;
import dev.holdfast.cli.database.Address;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.postgres.PostgresStore;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;

/** A node in a child process that runs all waiting jobs on each command. */
@Command(name = "drain-child", hidden = true)
final class DrainChild extends ChildCommand {
  // Rarely, because each process polls, and polling takes time from what is measured.
  private static final Duration LOOK_EVERY = Duration.ofMillis(5);

  /** The command for a node with the default number of slots that claims no jobs ahead. */
  static final String WITHOUT_PREFETCH = "none";

  private static final long QUIET_MICROS = 20_000;

  // The last job to run was enqueued last, so this finds a job at once while there are any.
  private static final String LAST = "select id from %s.job order by id desc limit 1";

  @SuppressWarnings("NullAway.Init")
  private PostgresStore store;

  @SuppressWarnings("NullAway.Init")
  private PreparedStatement last;

  @Override
  protected void start(Address address, PostgresStore opened, String schema) throws SQLException {
    this.store = opened;
    this.last = address.connect().prepareStatement(LAST.formatted(schema));
  }

  /**
   * Replies with the number of jobs and the time when the last was durably finished.
   *
   * @param order the number of slots, 0 for the default, or {@link #WITHOUT_PREFETCH}
   */
  @Override
  protected String obey(String order) throws SQLException {
    AtomicInteger ran = new AtomicInteger();
    try (HoldfastNode node = start(order, ran::incrementAndGet)) {
      long quietSince = Micros.now();
      long looked = quietSince;
      int seen = 0;
      while (true) {
        LockSupport.parkNanos(LOOK_EVERY.toNanos());
        long now = Micros.now();
        if (ran.get() != seen || node.held() > 0) {
          seen = ran.get();
          quietSince = now;
          looked = now;
        } else if (now - looked > QUIET_MICROS) {
          if (isEmpty()) {
            return seen + " " + quietSince;
          }
          looked = Micros.now();
        }
      }
    }
  }

  private HoldfastNode start(String order, Runnable job) {
    return order.equals(WITHOUT_PREFETCH)
        ? NoopJobs.startWithoutPrefetch(store, job)
        : NoopJobs.start(store, Integer.parseInt(order), job);
  }

  private boolean isEmpty() throws SQLException {
    try (ResultSet row = last.executeQuery()) {
      return !row.next();
    }
  }
}
