package dev.holdfast.postgres.workflow;

import dev.holdfast.api.job.JobId;
import dev.holdfast.engine.codec.Utf8Length;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.engine.store.RunAdvance.Express;
import dev.holdfast.engine.store.RunAdvance.Expressed;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.engine.store.StartHere;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.SqlValues;
import dev.holdfast.postgres.intake.IntakeStatements;
import dev.holdfast.postgres.job.History;
import dev.holdfast.postgres.job.TallyShards;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Ends the jobs of steps and starts those that follow, in one statement. It is a transaction by
 * itself: runs are locked in the order of their ids before any job, and each part depends on the
 * one before, so that nothing is written for a run that has changed or a claim that is lost.
 */
final class ExpressAdvance {
  // By run_pkey, job_pkey, run_timer_pkey and run_mark_run. A run that is locked is being advanced,
  // paused or cancelled: its step ends as usual. A run that ends is also locked against statements
  // that make its jobs startable: they lock the run first and then a job, which is deleted here.
  // Updates find the row that was locked, even if their snapshot is older.
  private static final String EXPRESS =
      """
      with node_state as materialized (
        ${node_state}
      ), locked as materialized (
        select r.id
        from unnest(?::uuid[], ?::bigint[]) u(id, seq)
        join ${schema}.run r on r.id = u.id
        where r.seq = u.seq and r.state = 'RUNNING'
        order by r.id
        for no key update of r skip locked
      ), ending as materialized (
        select r.id
        from unnest(?::uuid[], ?::bigint[]) u(id, seq)
        join ${schema}.run r on r.id = u.id
        where r.seq = u.seq and r.state = 'RUNNING' and r.parent_id is null and r.gate is null
        order by r.id
        for update of r skip locked
      ), gone as (
        delete from ${schema}.job j
        using unnest(?::uuid[], ?::bigint[], ?::text[], ?::uuid[]) f(id, token, result, run_id)
        where j.id = f.id and j.token = f.token and f.run_id = any(array(
            select id from locked union all select id from ending))
          and coalesce(j.state = 'RUNNING' and j.run_id = f.run_id
                       and j.incarnation = (select incarnation from node_state), false)
        returning j.*, 'SUCCEEDED' as ended,
          (select n.id from ${schema}.node n
           where n.incarnation = (select incarnation from node_state)) as node,
          f.result, null::timestamptz as result_until
      ), history as (
        ${advanced}
      ), tally as (
        ${tally}
      ), moved as (
        update ${schema}.run r set
          steps = u.steps, seq = r.seq + u.events,
          bytes = r.bytes + u.bytes
        from unnest(?::uuid[], ?::text[], ?::int[], ?::bigint[]) u(id, steps, events, bytes)
        where r.id = u.id and u.id = any(array(select run_id from gone))
      ), finished as (
        delete from ${schema}.run r
        using unnest(?::uuid[], ?::text[], ?::int[], ?::bigint[], ?::text[], ?::text[])
          u(run, letters, events, size, last_phase, result)
        where r.id = u.run and u.run = any(array(select run_id from gone))
        returning r.*, u.*
      ), run_history as (
        insert into ${schema}.run_history (${kept}, ended_at, state, phase, steps, result)
        select ${added}, now(), 'SUCCEEDED', last_phase, letters, result
        from finished
      ), timers as (
        delete from ${schema}.run_timer t where t.run_id = any(array(select id from finished))
      ), marks as (
        delete from ${schema}.run_mark m where m.run_id = any(array(select id from finished))
      ), events as (
        insert into ${schema}.run_event (run_id, seq, at, step, kind, detail)
        select e.run_id, e.seq, now(), e.step, e.kind, e.detail
        from unnest(?::uuid[], ?::bigint[], ?::smallint[], ?::text[], ?::text[])
          e(run_id, seq, step, kind, detail)
        where e.run_id = any(array(select run_id from gone))
      ), jobs as (
        ${jobs}
        where u.run_id::uuid = any(array(select run_id from gone))
        returning id, token, started_at
      )
      select id, token, null as started_at from gone
      union all
      select id, token, started_at from jobs where started_at is not null
      """;

  private record NumberedEvent(UUID run, long seq, RunPlan.Event event) {}

  private final Database database;
  private final IntakeStatements intake;
  private final TallyShards shards = new TallyShards();
  private final String express;

  ExpressAdvance(Database database, IntakeStatements intake) {
    this.database = database;
    this.intake = intake;
    this.express =
        database.sql(
            StartedSteps.into(History.into(EXPRESS))
                .replace("${kept}", RunEndings.KEPT)
                .replace("${added}", RunEndings.keptWith("seq + events", "bytes + size"))
                .replace(":shard", "?::uuid"));
  }

  Expressed advance(UUID incarnation, List<Express> given, StartHere here) {
    List<Express> steps = new ArrayList<>(given);
    steps.sort(Comparator.comparing(step -> step.finish().claim().id()));
    return database.run(
        "store the success of %d steps".formatted(steps.size()),
        handle -> {
          Connection connection = handle.getConnection();
          try (TallyShards.Shard shard = shards.take();
              PreparedStatement statement = database.prepare(connection, express)) {
            List<NewJob> jobs = jobs(steps);
            statement.setObject(10, shard.id());
            bind(connection, statement, incarnation, steps, jobs, here);
            return read(statement, jobs);
          }
        });
  }

  private static List<NewJob> jobs(List<Express> steps) {
    return steps.stream()
        .flatMap(step -> step.plan().jobs().stream())
        .map(RunPlan.Job::job)
        .toList();
  }

  private void bind(
      Connection c,
      PreparedStatement statement,
      UUID incarnation,
      List<Express> steps,
      List<NewJob> jobs,
      StartHere here)
      throws SQLException {
    List<NumberedEvent> events = events(steps);
    List<Express> continuing = steps.stream().filter(step -> !step.ends()).toList();
    List<Express> ending = steps.stream().filter(Express::ends).toList();
    statement.setObject(1, incarnation);
    statement.setArray(2, SqlValues.array(c, "uuid", continuing, step -> step.run().value()));
    statement.setArray(3, SqlValues.array(c, "int8", continuing, Express::seq));
    statement.setArray(4, SqlValues.array(c, "uuid", ending, step -> step.run().value()));
    statement.setArray(5, SqlValues.array(c, "int8", ending, Express::seq));
    statement.setArray(6, SqlValues.array(c, "uuid", steps, s -> s.finish().claim().id().value()));
    statement.setArray(7, SqlValues.array(c, "int8", steps, s -> s.finish().claim().token()));
    statement.setArray(8, SqlValues.texts(c, steps, step -> step.finish().result()));
    statement.setArray(9, SqlValues.array(c, "uuid", steps, step -> step.run().value()));
    bindRuns(c, statement, 10, continuing);
    bindRuns(c, statement, 14, ending);
    statement.setArray(19, SqlValues.texts(c, ending, step -> step.plan().phase().name()));
    statement.setArray(20, SqlValues.texts(c, ending, step -> step.plan().result()));
    statement.setArray(21, SqlValues.array(c, "uuid", events, NumberedEvent::run));
    statement.setArray(22, SqlValues.array(c, "int8", events, NumberedEvent::seq));
    statement.setArray(23, SqlValues.array(c, "int4", events, e -> e.event.step()));
    statement.setArray(24, SqlValues.texts(c, events, e -> e.event.kind().name()));
    statement.setArray(25, SqlValues.texts(c, events, e -> e.event.detail()));
    intake.bindStartedSteps(c, statement, 25, jobs, here::claimNo);
  }

  /** Binds how runs change, after the given number of parameters. */
  private static void bindRuns(
      Connection c, PreparedStatement statement, int before, List<Express> steps)
      throws SQLException {
    statement.setArray(before + 1, SqlValues.array(c, "uuid", steps, step -> step.run().value()));
    statement.setArray(before + 2, SqlValues.texts(c, steps, step -> step.plan().steps()));
    statement.setArray(
        before + 3, SqlValues.array(c, "int4", steps, s -> s.plan().events().size()));
    statement.setArray(before + 4, SqlValues.array(c, "int8", steps, s -> bytes(s.finish())));
  }

  private static long bytes(Finish.Succeeded finish) {
    String result = finish.result();
    return result == null ? 0 : Utf8Length.bytes(result);
  }

  private static List<NumberedEvent> events(List<Express> steps) {
    List<NumberedEvent> events = new ArrayList<>();
    for (Express step : steps) {
      long seq = step.seq();
      for (RunPlan.Event event : step.plan().events()) {
        events.add(new NumberedEvent(step.run().value(), ++seq, event));
      }
    }
    return events;
  }

  private static Expressed read(PreparedStatement statement, List<NewJob> jobs)
      throws SQLException {
    Set<ClaimId> stored = new HashSet<>();
    Map<JobId, StartedSteps.Start> started = new HashMap<>();
    try (ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        JobId id = new JobId(row.getObject(1, UUID.class));
        Instant at = SqlValues.instantOrNull(row, 3);
        if (at == null) {
          stored.add(new ClaimId(id, row.getLong(2)));
        } else {
          started.put(id, new StartedSteps.Start(row.getLong(2), at));
        }
      }
    }
    return new Expressed(stored, StartedSteps.claimed(jobs, started));
  }
}
