package dev.holdfast.bench.harness;

import dev.holdfast.engine.store.Store;
import dev.holdfast.postgres.PostgresStore;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Holdfast's tables in a schema of their own, dropped when closed. */
public final class BenchDatabase implements AutoCloseable {
  private final BenchServer server;
  private final String schema;
  private final PostgresStore store;

  BenchDatabase(BenchServer server, String schema) {
    this.server = server;
    this.schema = schema;
    this.store = open(server, schema);
    // Declared by its settings, so that nobody is warned of jobs that no node serves yet.
    store.queues().pause(NoopJobs.QUEUE, false);
  }

  /** Open a store as a user would, with default settings. */
  static PostgresStore open(BenchServer server, String schema) {
    return PostgresStore.connect(server.address().settings(schema).name("holdfast-bench").build());
  }

  public String schema() {
    return schema;
  }

  public Store store() {
    return store;
  }

  /** Empty all tables. No node may be running. */
  public void clear() throws SQLException {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      String tables;
      try (ResultSet row =
          statement.executeQuery(
              """
              select string_agg(format('%%I.%%I', schemaname, tablename), ', ')
              from pg_tables
              where schemaname = '%s' and tablename not in ('schema_version', 'queue')
              """
                  .formatted(schema))) {
        row.next();
        tables = row.getString(1);
      }
      statement.execute("truncate " + tables);
    }
  }

  /** Enqueue and drain so many jobs on emptied tables, and return the jobs drained per second. */
  public double drain(int jobs) throws SQLException {
    clear();
    return drainMore(jobs);
  }

  /** Enqueue and drain so many jobs beside whatever is there. */
  public double drainMore(int jobs) throws SQLException {
    long before = history();
    NoopJobs.enqueue(store, jobs);
    server.settle();
    double rate = NoopJobs.rate(jobs, NoopJobs.drain(store, jobs));
    requireDone(jobs, before);
    return rate;
  }

  /** Check that a round did what it was to do: that all jobs are in history, and none is left. */
  public void requireDone(long jobs, long historyBefore) throws SQLException {
    long done = history() - historyBefore;
    if (done != jobs) {
      throw new BenchException(
          "%d of %d jobs are in history after the round: the numbers mean nothing."
              .formatted(done, jobs));
    }
  }

  private long history() throws SQLException {
    return server.number("select count(*) from %s.job_history".formatted(schema));
  }

  @Override
  public void close() throws SQLException {
    store.close();
    server.execute("drop schema if exists %s cascade".formatted(schema));
  }
}
