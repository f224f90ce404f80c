package dev.holdfast.postgres;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.embedded.testing.SharedServer;
import dev.holdfast.embedded.testing.TestDatabase;
import dev.holdfast.tck.contract.Inconsistency;
import dev.holdfast.tck.contract.StoreFixture;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;

/** A separate database for one test class, emptied for each test. */
public final class PostgresFixture implements StoreFixture, AutoCloseable {
  private static final List<String> TABLES =
      List.of(
          "job",
          "job_history",
          "dead_letter",
          "node",
          "queue",
          "unique_ledger",
          "enqueue_repeat",
          "tally",
          "lease",
          "event_trigger",
          "trigger_subject",
          "schedule",
          "task_rule",
          "sample",
          "run",
          "run_history",
          "run_mark",
          "run_result",
          "run_event",
          "run_map",
          "run_timer",
          "signal",
          "journal",
          "run_gate",
          "run_payload",
          "workflow_definition");

  private static final List<String> AGE =
      List.of(
          """
          update holdfast.job set created_at = created_at - t, run_at = run_at - t,
            rank = rank - t, started_at = started_at - t, start_by = start_by - t
          """,
          """
          update holdfast.job_history set created_at = created_at - t, run_at = run_at - t,
            started_at = started_at - t, start_by = start_by - t, finished_at = finished_at - t,
            result_until = result_until - t
          """,
          """
          update holdfast.dead_letter set created_at = created_at - t, run_at = run_at - t,
            started_at = started_at - t, start_by = start_by - t, finished_at = finished_at - t
          """,
          """
          update holdfast.node set started_at = started_at - t, beaten_at = beaten_at - t,
            died_at = died_at - t
          """,
          """
          update holdfast.lease set acquired_at = acquired_at - t, expires_at = expires_at - t,
            ended_at = ended_at - t
          """,
          "update holdfast.heartbeat set at = at - t, expires_at = expires_at - t",
          "update holdfast.sample set taken_at = taken_at - t",
          "update holdfast.queue set paused_at = paused_at - t",
          "update holdfast.unique_ledger set expires_at = expires_at - t",
          "update holdfast.enqueue_repeat set repeated_at = repeated_at - t",
          """
          update holdfast.trigger_subject set since = since - t, fires_at = fires_at - t,
            forget_at = forget_at - t
          """,
          """
          update holdfast.schedule set created_at = created_at - t, anchor = anchor - t,
            next_fire = next_fire - t, last_fire = last_fire - t, starts_at = starts_at - t,
            ends_at = ends_at - t, retry_at = retry_at - t
          """,
          "update holdfast.run set created_at = created_at - t",
          "update holdfast.run_timer set due_at = due_at - t",
          """
          update holdfast.workflow_definition set created_at = created_at - t,
            used_at = used_at - t, retired_at = retired_at - t
          """,
          """
          update holdfast.run_history set created_at = created_at - t, ended_at = ended_at - t
          """,
          """
          update holdfast.task_rule set open_until = open_until - t,
            failed_at = array(select f - t from unnest(failed_at) f)
          """,
          // Whole days only, and all rows in one statement, to avoid conflicts between moved rows.
          """
          with gone as (delete from holdfast.tally returning *)
          insert into holdfast.tally (day, queue, task, state, shard, count)
          select (day + interval '23:59:59.999999' - t)::date, queue, task, state, shard, count
          from gone
          """);

  private final TestDatabase database;
  private final PostgresStore store;

  public PostgresFixture() {
    this.database = SharedServer.freshDatabase();
    this.store = PostgresStore.connect(settings().build());
  }

  public PostgresSettings.Builder settings() {
    return PostgresSettings.builder(database.jdbcUrl())
        .user(database.user())
        .password(database.password());
  }

  public TestDatabase database() {
    return database;
  }

  @Override
  public PostgresStore store() {
    return store;
  }

  @Override
  public void passTime(Duration time) {
    try (Connection connection = database.connect()) {
      for (String sql : AGE) {
        String shifted = sql.replace(" - t", " - ? * interval '1 microsecond'");
        try (PreparedStatement statement = connection.prepareStatement(shifted)) {
          for (int i = 1; i <= statement.getParameterMetaData().getParameterCount(); i++) {
            statement.setLong(i, time.toNanos() / 1000);
          }
          statement.executeUpdate();
        }
      }
    } catch (SQLException failure) {
      throw new IllegalStateException(failure);
    }
  }

  /** Empties the store. */
  public PostgresFixture emptied() {
    // Deleting a few rows is much faster than truncating a dozen tables.
    execute("delete from holdfast." + String.join("; delete from holdfast.", TABLES));
    return this;
  }

  /** Returns an external pool whose sessions are named 'external'. */
  public HikariDataSource foreignPool(int size) {
    return foreignPool(database, size);
  }

  static HikariDataSource foreignPool(TestDatabase database, int size) {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(database.jdbcUrl());
    pool.setUsername(database.user());
    pool.setPassword(database.password());
    pool.addDataSourceProperty("ApplicationName", "external");
    pool.setMaximumPoolSize(size);
    pool.setMinimumIdle(0);
    pool.setConnectionTimeout(5_000);
    return pool;
  }

  /** Terminates the sessions of a name, which may contain {@code %}, and returns their number. */
  int endSessions(String name) {
    return Integer.parseInt(
        ask(
            "select count(pg_terminate_backend(pid)) from pg_stat_activity where application_name like '%s' and datname = current_database()"
                .formatted(name)));
  }

  /** Returns the only value of a query as text. */
  public String ask(String sql) {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getString(1);
    } catch (SQLException failure) {
      throw new IllegalStateException(failure);
    }
  }

  public void execute(String sql) {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException failure) {
      throw new IllegalStateException(failure);
    }
  }

  @Override
  public void breakConsistency(Inconsistency how, RunId run, int step) {
    String ofRun = " where run_id = '%s'".formatted(run);
    String ofStep = ofRun + " and step = " + step;
    String deleteMarks = "delete from holdfast.run_mark" + ofRun;
    execute(
        switch (how) {
          case JOB_LOST -> "delete from holdfast.job" + ofStep;
          case RESULT_LOST -> "delete from holdfast.run_result" + ofStep + "; " + deleteMarks;
          case FAILURES_LOST -> "update holdfast.dead_letter set failures = '[]'" + ofStep;
          case MARKS_LOST -> deleteMarks;
          case JOB_READY -> "update holdfast.job set state = 'READY'" + ofStep;
          case JOB_ON_HOLD -> "update holdfast.job set state = 'ON_HOLD'" + ofStep;
          case RUN_LOST -> "delete from holdfast.run where id = '%s'".formatted(run);
        });
  }

  @Override
  public void close() {
    store.close();
    database.close();
  }
}
