package dev.holdfast.bench.chaos;

import dev.holdfast.bench.chaos.Evidence.Ended;
import dev.holdfast.bench.chaos.RunEvidence.EndedRun;
import dev.holdfast.bench.chaos.RunEvidence.ParentStep;
import dev.holdfast.bench.chaos.RunEvidence.StepJob;
import dev.holdfast.cli.database.Address;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads the tables of a cluster directly, bypassing the store that is being checked. */
final class StoredState {
  private final Address address;
  private final String schema;

  StoredState(Address address, String schema) {
    this.address = address;
    this.schema = schema;
  }

  int livingNodes() throws SQLException {
    return (int) number("select count(*) from %s.node where state = 'ALIVE'");
  }

  /** Returns how many jobs and runs have not ended. */
  long open() throws SQLException {
    return number("select (select count(*) from %1$s.job) + (select count(*) from %1$s.run)");
  }

  /** Creates the table for the changes of transactional steps. */
  void createBookings() throws SQLException {
    try (Connection connection = address.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "create table if not exists public.%s (job uuid not null, token bigint not null)"
              .formatted(ChaosFlows.BOOKINGS));
    }
  }

  /** Returns the job of each change of a transactional step. */
  List<UUID> bookings() throws SQLException {
    return rows(
        "select job from public.%s".formatted(ChaosFlows.BOOKINGS),
        row -> row.getObject(1, UUID.class));
  }

  List<EndedRun> endedRuns() throws SQLException {
    return rows(
        """
        select id, state, parent_id, parent_step from %1$s.run_history
        union all
        select id, state, parent_id, parent_step from %1$s.run
        """
            .formatted(schema),
        row -> new EndedRun(row.getObject(1, UUID.class), row.getString(2), parent(row)));
  }

  private static @Nullable ParentStep parent(ResultSet row) throws SQLException {
    UUID run = row.getObject(3, UUID.class);
    return run == null ? null : new ParentStep(run, row.getInt(4));
  }

  /** Returns the jobs of steps that have ended. */
  List<StepJob> stepJobs() throws SQLException {
    return rows(
        """
        select id, run_id, step, task from %1$s.job_history where run_id is not null
        union all
        select id, run_id, step, task from %1$s.dead_letter where run_id is not null
        """
            .formatted(schema),
        row ->
            new StepJob(
                row.getObject(1, UUID.class),
                row.getObject(2, UUID.class),
                row.getInt(3),
                row.getString(4)));
  }

  /** Reads one row. */
  private interface Reader<T> {
    T read(ResultSet row) throws SQLException;
  }

  private <T> List<T> rows(String sql, Reader<T> reader) throws SQLException {
    List<T> rows = new ArrayList<>();
    try (Connection connection = address.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      while (row.next()) {
        rows.add(reader.read(row));
      }
    }
    return rows;
  }

  private long number(String sql) throws SQLException {
    try (Connection connection = address.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql.formatted(schema))) {
      row.next();
      return row.getLong(1);
    }
  }

  List<Ended> ended() throws SQLException {
    return rows(
        """
        select id, token, state from %1$s.job_history
        union all
        select id, token, '%2$s' from %1$s.dead_letter
        """
            .formatted(schema, Evidence.FAILED),
        row -> new Ended(row.getObject(1, UUID.class), row.getLong(2), row.getString(3)));
  }

  Set<UUID> live() throws SQLException {
    return new HashSet<>(
        rows("select id from %s.job".formatted(schema), row -> row.getObject(1, UUID.class)));
  }

  /** Returns a line for each job and run that has not ended, with what helps to find out why. */
  List<String> stuck(int most) throws SQLException {
    return rows(
        """
        (select format('Job %%s is %%s, token %%s, crashes %%s, due %%s, held by %%s (%%s)',
            j.id, j.state, j.token, j.crashes, j.run_at - now(), n.id, n.state)
        from %1$s.job j left join %1$s.node n using (incarnation)
        limit %2$d)
        union all
        (select format('Run %%s is %%s in phase %%s, steps %%s, %%s marks',
            r.id, r.state, r.phase, r.steps,
            (select count(*) from %1$s.run_mark m where m.run_id = r.id))
        from %1$s.run r
        limit %2$d)
        """
            .formatted(schema, most),
        row -> row.getString(1));
  }
}
