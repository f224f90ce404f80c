package dev.holdfast.postgres.workflow;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.groupingBy;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.engine.store.NewRun;
import dev.holdfast.engine.store.RunAdvance;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.engine.store.StartHere;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.SqlValues;
import dev.holdfast.postgres.intake.IntakeStatements;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
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
      with node_state as materialized (
        ${node_state}
      ), started as (
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
        returning id, token, started_at
      )
      select id, null as token, null as started_at from started
      union all
      select id, token, started_at from jobs where started_at is not null
      """;

  private static final int BEFORE_JOBS = 19;

  private final Database database;
  private final IntakeStatements intake;
  private final String start;

  private record FirstEvent(UUID run, long seq, RunPlan.Event event) {}

  SimpleStart(Database database, IntakeStatements intake) {
    this.database = database;
    this.intake = intake;
    this.start = database.sql(StartedSteps.into(START));
  }

  static boolean suits(NewRun run) {
    return run.content().gate() == null
        && run.content().parent() == null
        && run.content().origin() == null
        && run.content().inherited().isEmpty()
        && RunAdvance.Express.isExpress(run.first());
  }

  static List<NewJob> jobs(NewRun run) {
    return run.first().jobs().stream().map(RunPlan.Job::job).toList();
  }

  /** A run to be inserted, and which of its jobs start at once. */
  record Start(NewRun run, StartHere here) {
    long size() {
      String input = run.content().input();
      return (input == null ? 0 : input.length())
          + jobs(run).stream().mapToLong(NewJob::size).sum();
    }
  }

  /**
   * Inserts runs, and returns for each the jobs that were started at once. It is empty for a run
   * that was not inserted: its id or key is taken, or its definition is retired.
   */
  List<Optional<List<ClaimedJob>>> start(Connection c, List<Start> starts) throws SQLException {
    try (PreparedStatement statement = database.prepare(c, start)) {
      List<NewRun> runs = starts.stream().map(Start::run).toList();
      List<NewJob> jobs = runs.stream().flatMap(run -> jobs(run).stream()).toList();
      bind(c, statement, runs);
      bindJobs(c, statement, starts, jobs);
      Set<RunId> inserted = new HashSet<>();
      Map<JobId, StartedSteps.Start> started = new HashMap<>();
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          UUID id = row.getObject(1, UUID.class);
          Instant at = SqlValues.instantOrNull(row, 3);
          if (at == null) {
            inserted.add(new RunId(id));
          } else {
            started.put(new JobId(id), new StartedSteps.Start(row.getLong(2), at));
          }
        }
      }
      Map<RunId, List<ClaimedJob>> byRun =
          StartedSteps.claimed(jobs, started).stream()
              .collect(groupingBy(job -> requireNonNull(job.step()).run()));
      return runs.stream()
          .map(run ->
              inserted.contains(run.id())
                  ? Optional.of(byRun.getOrDefault(run.id(), List.of()))
                  : Optional.<List<ClaimedJob>>empty())
          .toList();
    }
  }

  private static void bind(Connection c, PreparedStatement statement, List<NewRun> runs)
      throws SQLException {
    List<FirstEvent> events = events(runs);
    statement.setArray(2, SqlValues.array(c, "uuid", runs, run -> run.id().value()));
    statement.setArray(3, SqlValues.array(c, "int8", runs, run -> seq(run)));
    statement.setArray(4, SqlValues.array(c, "int4", runs, run -> run.content().definition()));
    statement.setArray(5, SqlValues.array(c, "int4", runs, run -> run.content().priority()));
    statement.setArray(6, SqlValues.array(c, "bool", runs, NewRun::mayExist));
    statement.setArray(7, SqlValues.texts(c, runs, run -> run.content().workflow()));
    statement.setArray(8, SqlValues.texts(c, runs, run -> run.first().steps()));
    statement.setArray(9, SqlValues.texts(c, runs, run -> run.content().input()));
    statement.setArray(
        10, SqlValues.texts(c, runs, run -> new NewRuns.Row(run, false, seq(run)).activeKey()));
    statement.setArray(11, SqlValues.texts(c, runs, run -> run.content().label()));
    statement.setArray(12, SqlValues.texts(c, runs, run -> run.content().source().stack()));
    statement.setArray(13, SqlValues.texts(c, runs, run -> run.content().source().startedBy()));
    statement.setArray(
        14, SqlValues.texts(c, runs, run -> SqlValues.arrayText(run.content().tags())));
    statement.setArray(15, SqlValues.array(c, "uuid", events, FirstEvent::run));
    statement.setArray(16, SqlValues.array(c, "int8", events, FirstEvent::seq));
    statement.setArray(17, SqlValues.array(c, "int4", events, e -> e.event.step()));
    statement.setArray(18, SqlValues.texts(c, events, e -> e.event.kind().name()));
    statement.setArray(19, SqlValues.texts(c, events, e -> e.event.detail()));
  }

  private void bindJobs(
      Connection c, PreparedStatement statement, List<Start> starts, List<NewJob> jobs)
      throws SQLException {
    // Several nodes may share the store: the jobs of one start, those of the others are claimed.
    UUID incarnation =
        starts.stream()
            .map(each -> each.here.incarnation())
            .filter(Objects::nonNull)
            .findFirst()
            .orElse(null);
    Map<JobId, Long> claimNos = new HashMap<>();
    for (Start each : starts) {
      if (incarnation != null && incarnation.equals(each.here.incarnation())) {
        each.here.jobs().forEach(job -> claimNos.put(job, each.here.claimNo()));
      }
    }
    statement.setObject(1, incarnation);
    intake.bindStartedSteps(c, statement, BEFORE_JOBS, jobs, claimNos::get);
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
