package dev.holdfast.postgres.workflow;

import dev.holdfast.engine.store.NewJob;
import dev.holdfast.engine.store.NewRun;
import dev.holdfast.engine.store.RunAdvance;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.SqlValues;
import dev.holdfast.postgres.intake.IntakeStatements;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes a run with its first jobs and events in one statement. Most runs start in this way; those
 * that start with a map, a timer or a child run, or repeat another run, need several statements.
 */
final class SimpleStart {
  // Conflicts on run_pkey and run_unique. Inserts nothing in the same cases as NewRuns, by
  // enqueue_repeat_pkey and workflow_definition_pkey.
  private static final String START =
      """
      with started as (
        insert into ${schema}.run (id, created_at, seq, bytes, definition, priority, retried, state,
          phase, workflow, steps, input, unique_key, label, stack, started_by, tags)
        select u.id, statement_timestamp(), ?, 0, u.definition, ?::smallint, false, 'RUNNING',
          'MAIN', ?, ?, ?, ?, ?, ?, ?, ?::text[]
        from (select ?::uuid, ?::int) u(id, definition)
        where (? or not exists (select from ${schema}.enqueue_repeat e where e.id = u.id))
          and exists (select from ${schema}.workflow_definition d
            where d.id = u.definition and d.retired_at is null)
        on conflict do nothing
        returning id
      ), events as (
        insert into ${schema}.run_event (run_id, seq, at, step, kind, detail)
        select s.id, e.seq, now(), e.step, e.kind, e.detail
        from started s cross join unnest(?::smallint[], ?::text[], ?::text[])
          with ordinality e(step, kind, detail, seq)
      ), jobs as (
        ${jobs}
        where exists (select from started)
      )
      select id from started
      """;

  private static final int BEFORE_JOBS = 16;

  private final Database database;
  private final IntakeStatements intake;
  private final String start;

  SimpleStart(Database database, IntakeStatements intake) {
    this.database = database;
    this.intake = intake;
    this.start = database.sql(START.replace("${jobs}", IntakeStatements.insertedSteps()));
  }

  static boolean suits(NewRun run) {
    return run.gate() == null
        && run.parent() == null
        && run.origin() == null
        && run.inherited().isEmpty()
        && RunAdvance.Express.isExpress(run.first());
  }

  static List<NewJob> jobs(NewRun run) {
    return run.first().jobs().stream().map(RunPlan.Job::job).toList();
  }

  /** Returns whether the run was inserted: otherwise its id or key is taken. */
  boolean start(Connection c, NewRun run) throws SQLException {
    try (PreparedStatement statement = database.prepare(c, start)) {
      List<RunPlan.Event> events = run.first().events();
      statement.setLong(1, events.size());
      set(statement, 2, run.priority());
      statement.setString(3, run.workflow());
      statement.setString(4, run.first().steps());
      statement.setString(5, run.input());
      statement.setString(6, new NewRuns.Row(run, false, events.size()).activeKey());
      statement.setString(7, run.label());
      statement.setString(8, run.source().stack());
      statement.setString(9, run.source().startedBy());
      statement.setString(10, SqlValues.arrayText(run.tags()));
      statement.setObject(11, run.id().value());
      statement.setInt(12, run.definition());
      statement.setBoolean(13, run.mayExist());
      statement.setArray(14, SqlValues.array(c, "int4", events, RunPlan.Event::step));
      statement.setArray(15, SqlValues.texts(c, events, event -> event.kind().name()));
      statement.setArray(16, SqlValues.texts(c, events, RunPlan.Event::detail));
      int unused = intake.bindSteps(c, statement, BEFORE_JOBS, jobs(run));
      try (ResultSet started = statement.executeQuery()) {
        return started.next();
      }
    }
  }

  private static void set(PreparedStatement statement, int index, @Nullable Integer value)
      throws SQLException {
    if (value == null) {
      statement.setNull(index, Types.INTEGER);
    } else {
      statement.setInt(index, value);
    }
  }
}
