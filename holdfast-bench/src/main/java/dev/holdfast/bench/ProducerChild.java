package dev.holdfast.bench;

import dev.holdfast.api.Holdfast;
import dev.holdfast.bench.harness.ChildCommand;
import dev.holdfast.bench.harness.Micros;
import dev.holdfast.bench.harness.NoopJobs;
import dev.holdfast.cli.database.Address;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.postgres.PostgresStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;

/** A client in a child process that enqueues 50 jobs a second, with the time as payload. */
@Command(name = "producer-child", hidden = true)
final class ProducerChild extends ChildCommand {
  static final String ENQUEUE = "ENQUEUE";
  static final String NOTIFY = "NOTIFY";
  static final String CHANNEL = "holdfast_bench";
  private static final Duration INTERVAL = Duration.ofMillis(20);

  @SuppressWarnings("NullAway.Init")
  private Address address;

  @SuppressWarnings("NullAway.Init")
  private Holdfast client;

  @Override
  protected void start(Address at, PostgresStore store, String schema) {
    this.address = at;
    this.client = HoldfastClient.on(store);
  }

  /** Executes {@code ENQUEUE count} or {@code NOTIFY count schema-of-a-raw-table}. */
  @Override
  protected String obey(String order) throws SQLException {
    String[] words = order.split(" ", -1);
    int count = Integer.parseInt(words[1]);
    if (words[0].equals(ENQUEUE)) {
      enqueue(count);
    } else {
      insertAndNotify(count, words[2]);
    }
    return Integer.toString(count);
  }

  private void enqueue(int count) {
    everyInterval(
        count, () -> client.enqueue(LatencyBench.PING, new LatencyBench.Ping(Micros.now())));
  }

  private void insertAndNotify(int count, String schema) throws SQLException {
    try (Connection connection = address.connect();
        PreparedStatement insert =
            connection.prepareStatement(
                """
                insert into %s.job
                  (id, created_at, run_at, rank, priority, state, queue, task, payload)
                values (?, now(), now(), now(), 4, 'READY', ?, ?, ?)
                """
                    .formatted(schema));
        PreparedStatement notify = connection.prepareStatement("select pg_notify(?, ?)")) {
      connection.setAutoCommit(false);
      long next = System.nanoTime();
      for (int i = 0; i < count; i++) {
        next = awaitNext(next);
        String sent = Long.toString(Micros.now());
        String id = UUID.randomUUID().toString();
        insert.setObject(1, UUID.fromString(id));
        insert.setString(2, NoopJobs.QUEUE);
        insert.setString(3, LatencyBench.PING.name());
        insert.setString(4, sent);
        insert.executeUpdate();
        notify.setString(1, CHANNEL);
        notify.setString(2, id);
        notify.execute();
        connection.commit();
      }
    }
  }

  /** Does something at a fixed rate; late steps follow at once. */
  static void everyInterval(int count, Runnable step) {
    long next = System.nanoTime();
    for (int i = 0; i < count; i++) {
      next = awaitNext(next);
      step.run();
    }
  }

  /** Waits until an interval after the given time, and returns when that is. */
  private static long awaitNext(long before) {
    long next = before + INTERVAL.toNanos();
    for (long early = next - System.nanoTime(); early > 0; early = next - System.nanoTime()) {
      LockSupport.parkNanos(early);
    }
    return next;
  }
}
