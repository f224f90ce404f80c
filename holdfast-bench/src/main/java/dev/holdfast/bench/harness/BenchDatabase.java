package dev.holdfast.bench.harness;

import dev.holdfast.engine.store.Store;
import dev.holdfast.postgres.PostgresStore;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Holdfast's tables in a new schema, which is dropped on close. */
public final class BenchDatabase implements AutoCloseable {
  private final BenchServer server;
  private final String schema;
  private final PostgresStore store;

  BenchDatabase(BenchServer server, String schema) {
    this.server = server;
    this.schema = schema;
    this.store = open(server, schema);
    // Gives the queue a settings row, so that no warning is logged about jobs without a node.
    store.queues().resume(NoopJobs.QUEUE);
  }

  /** Opens a store with default settings, as an application would. */
  static PostgresStore open(BenchServer server, String schema) {
    return PostgresStore.connect(server.address().settings(schema).name("holdfast-bench").build());
  }

  public String schema() {
    return schema;
  }

  public Store store() {
    return store;
  }

  /** Empties all tables. No node may be running. */
  public void clear() throws SQLException {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      String tables;
      try (ResultSet row =
          statement.executeQuery(
              """
              select string_agg(format('%%I.%%I', schemaname, tablename), ', ')
              from pg_tables
              where schemaname = '%s' and tablename not in ('schema_version', 'queue', 'token_epoch')
              """
                  .formatted(schema))) {
        row.next();
        tables = row.getString(1);
      }
      statement.execute("truncate " + tables);
    }
  }

  /** Empties the tables, enqueues and drains jobs, and returns the jobs drained per second. */
  public double drain(int jobs) throws SQLException {
    clear();
    return drainMore(jobs);
  }

  /** Enqueues and drains jobs without emptying the tables first. */
  public double drainMore(int jobs) throws SQLException {
    long before = history();
    NoopJobs.enqueue(store, jobs);
    server.settle();
    double rate = NoopJobs.rate(jobs, NoopJobs.drain(store, jobs));
    requireDone(jobs, before);
    return rate;
  }

  /** Checks that a round has finished all its jobs, so that they are in history. */
  public void requireDone(long jobs, long historyBefore) throws SQLException {
    long done = history() - historyBefore;
    if (done != jobs) {
      throw new BenchException(
          "%d of %d jobs are in history after the round, so its measures are not valid."
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
