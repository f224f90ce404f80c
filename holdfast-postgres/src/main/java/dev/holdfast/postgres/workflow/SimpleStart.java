package dev.holdfast.postgres.workflow;

import dev.holdfast.api.workflow.RunId;
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
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * Writes runs with their first jobs and events in one statement. Most runs start in this way; those
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
        select u.id, statement_timestamp(), u.seq, 0, u.definition, u.priority, false, 'RUNNING',
          'MAIN', u.workflow, u.steps, u.input, u.unique_key, u.label, u.stack, u.started_by,
          u.tags::text[]
        from unnest(?::uuid[], ?::bigint[], ?::int[], ?::smallint[], ?::boolean[], ?::text[],
                    ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[])
          u(id, seq, definition, priority, may_exist, workflow, steps, input, unique_key, label,
            stack, started_by, tags)
        where (u.may_exist or not exists (select from ${schema}.enqueue_repeat e where e.id = u.id))
          and exists (select from ${schema}.workflow_definition d
            where d.id = u.definition and d.retired_at is null)
        on conflict do nothing
        returning id
      ), events as (
        insert into ${schema}.run_event (run_id, seq, at, step, kind, detail)
        select e.run_id, e.seq, now(), e.step, e.kind, e.detail
        from unnest(?::uuid[], ?::bigint[], ?::smallint[], ?::text[], ?::text[])
          e(run_id, seq, step, kind, detail)
        where e.run_id = any(array(select id from started))
      ), jobs as (
        ${jobs}
        where u.run_id::uuid = any(array(select id from started))
      )
      select id from started
      """;

  private static final int BEFORE_JOBS = 18;

  private final Database database;
  private final IntakeStatements intake;
  private final String start;

  private record FirstEvent(UUID run, long seq, RunPlan.Event event) {}

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

  /** Returns the runs that were inserted: the id or key of the others is taken. */
  Set<RunId> start(Connection c, List<NewRun> runs) throws SQLException {
    try (PreparedStatement statement = database.prepare(c, start)) {
      List<FirstEvent> events = events(runs);
      List<NewJob> jobs = runs.stream().flatMap(run -> jobs(run).stream()).toList();
      statement.setArray(1, SqlValues.array(c, "uuid", runs, run -> run.id().value()));
      statement.setArray(2, SqlValues.array(c, "int8", runs, run -> seq(run)));
      statement.setArray(3, SqlValues.array(c, "int4", runs, NewRun::definition));
      statement.setArray(4, SqlValues.array(c, "int4", runs, NewRun::priority));
      statement.setArray(5, SqlValues.array(c, "bool", runs, NewRun::mayExist));
      statement.setArray(6, SqlValues.texts(c, runs, NewRun::workflow));
      statement.setArray(7, SqlValues.texts(c, runs, run -> run.first().steps()));
      statement.setArray(8, SqlValues.texts(c, runs, NewRun::input));
      statement.setArray(
          9, SqlValues.texts(c, runs, run -> new NewRuns.Row(run, false, seq(run)).activeKey()));
      statement.setArray(10, SqlValues.texts(c, runs, NewRun::label));
      statement.setArray(11, SqlValues.texts(c, runs, run -> run.source().stack()));
      statement.setArray(12, SqlValues.texts(c, runs, run -> run.source().startedBy()));
      statement.setArray(13, SqlValues.texts(c, runs, run -> SqlValues.arrayText(run.tags())));
      statement.setArray(14, SqlValues.array(c, "uuid", events, FirstEvent::run));
      statement.setArray(15, SqlValues.array(c, "int8", events, FirstEvent::seq));
      statement.setArray(16, SqlValues.array(c, "int4", events, e -> e.event.step()));
      statement.setArray(17, SqlValues.texts(c, events, e -> e.event.kind().name()));
      statement.setArray(18, SqlValues.texts(c, events, e -> e.event.detail()));
      int unused = intake.bindSteps(c, statement, BEFORE_JOBS, jobs);
      Set<RunId> started = new HashSet<>();
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          started.add(new RunId(row.getObject(1, UUID.class)));
        }
      }
      return started;
    }
  }

  private static long seq(NewRun run) {
    return run.first().events().size();
  }

  private static List<FirstEvent> events(List<NewRun> runs) {
    List<FirstEvent> events = new ArrayList<>();
    for (NewRun run : runs) {
      long seq = 0;
      for (RunPlan.Event event : run.first().events()) {
        events.add(new FirstEvent(run.id().value(), ++seq, event));
      }
    }
    return events;
  }
}
