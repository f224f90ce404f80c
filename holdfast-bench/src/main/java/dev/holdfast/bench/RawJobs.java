package dev.holdfast.bench;

import dev.holdfast.api.job.JobId;
import dev.holdfast.bench.harness.BenchException;
import dev.holdfast.bench.harness.BenchServer;
import dev.holdfast.bench.harness.NoopJobs;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Claims and finishes jobs in bare SQL, in two sessions with batches of 500 jobs: the upper bound
 * that the database allows. The tables and statements are frozen in {@code raw-*.sql}.
 */
final class RawJobs implements AutoCloseable {
  private static final int SESSIONS = 2;
  private static final int BATCH = 500;
  private static final UUID INCARNATION = new UUID(0x7000L, 0x8000000000000001L);

  private final BenchServer server;
  private final String schema = BenchServer.freshSchema();
  private final String fill = sql("raw-fill.sql");
  private final String claim = sql("raw-claim.sql");
  private final String finish = sql("raw-finish.sql");
  private final String session = sql("raw-session.sql");

  private record Claimed(UUID id, long token) {}

  RawJobs(BenchServer server) throws SQLException {
    this.server = server;
    server.execute(sql("raw-schema.sql"));
    try (Connection connection = server.connect();
        PreparedStatement node =
            connection.prepareStatement(
                "insert into %s.node (incarnation, state, beat) values (?, 'ALIVE', 1)"
                    .formatted(schema))) {
      node.setObject(1, INCARNATION);
      node.executeUpdate();
    }
  }

  String schema() {
    return schema;
  }

  /** Fills the table, claims and finishes all jobs, and returns the jobs per second. */
  double rate(int jobs) throws Exception {
    refill(jobs);
    List<Connection> sessions = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(SESSIONS)) {
      List<Callable<Integer>> work = new ArrayList<>();
      for (int i = 0; i < SESSIONS; i++) {
        Connection connection = server.connect();
        sessions.add(connection);
        try (Statement statement = connection.createStatement()) {
          statement.execute(session);
        }
        work.add(() -> drain(connection));
      }
      long started = System.nanoTime();
      int done = 0;
      for (Future<Integer> part : threads.invokeAll(work)) {
        done += part.get();
      }
      Duration time = Duration.ofNanos(System.nanoTime() - started);
      requireAll(jobs, done);
      return NoopJobs.rate(jobs, time);
    } finally {
      for (Connection connection : sessions) {
        connection.close();
      }
    }
  }

  private void refill(int jobs) throws SQLException {
    server.execute("truncate %1$s.job, %1$s.job_history".formatted(schema));
    try (Connection connection = server.connect();
        PreparedStatement statement = connection.prepareStatement(fill)) {
      statement.setInt(1, jobs);
      statement.executeUpdate();
    }
    server.settle();
  }

  private void requireAll(int jobs, int done) throws SQLException {
    long history = server.number("select count(*) from %s.job_history".formatted(schema));
    if (done != jobs || history != jobs) {
      throw new BenchException(
          "Bare SQL finished %d of %d jobs, and %d are in history, so the measures are not valid."
              .formatted(done, jobs, history));
    }
  }

  private int drain(Connection connection) throws SQLException {
    int done = 0;
    try (PreparedStatement claiming = connection.prepareStatement(claim);
        PreparedStatement finishing = connection.prepareStatement(finish)) {
      for (long number = 1; ; number++) {
        List<Claimed> batch = claim(claiming, number);
        if (batch.isEmpty()) {
          return done;
        }
        done += finish(connection, finishing, batch);
      }
    }
  }

  private static List<Claimed> claim(PreparedStatement statement, long number) throws SQLException {
    statement.setObject(1, INCARNATION);
    statement.setLong(2, number);
    statement.setString(3, NoopJobs.QUEUE);
    statement.setString(4, NoopJobs.TASK.name());
    statement.setObject(5, INCARNATION);
    statement.setInt(6, BATCH);
    List<Claimed> batch = new ArrayList<>(BATCH);
    try (ResultSet row = statement.executeQuery()) {
      int columns = row.getMetaData().getColumnCount();
      while (row.next()) {
        for (int column = 3; column <= columns; column++) {
          row.getObject(column);
        }
        batch.add(new Claimed(row.getObject(1, UUID.class), row.getLong(2)));
      }
    }
    // Rows are locked in this order, which must be the same for all sessions to avoid deadlocks.
    batch.sort((one, other) -> new JobId(one.id()).compareTo(new JobId(other.id())));
    return batch;
  }

  private static int finish(Connection connection, PreparedStatement statement, List<Claimed> batch)
      throws SQLException {
    statement.setArray(
        1, connection.createArrayOf("uuid", batch.stream().map(Claimed::id).toArray()));
    statement.setArray(
        2, connection.createArrayOf("int8", batch.stream().map(Claimed::token).toArray()));
    statement.setArray(3, connection.createArrayOf("text", new Object[batch.size()]));
    statement.setObject(4, INCARNATION);
    int finished = 0;
    try (ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        finished++;
      }
    }
    return finished;
  }

  private String sql(String name) {
    try (InputStream file = RawJobs.class.getResourceAsStream(name)) {
      if (file == null) {
        throw new BenchException("The resource %s is missing from the class path.".formatted(name));
      }
      return new String(file.readAllBytes(), StandardCharsets.UTF_8).replace("${schema}", schema);
    } catch (IOException unreadable) {
      throw new BenchException(
          "Could not read the resource %s: %s".formatted(name, unreadable.getMessage()));
    }
  }

  @Override
  public void close() throws SQLException {
    server.execute("drop schema if exists %s cascade".formatted(schema));
  }
}
