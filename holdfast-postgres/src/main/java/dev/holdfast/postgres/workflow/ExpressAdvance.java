package dev.holdfast.postgres.workflow;

import dev.holdfast.api.job.JobId;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.engine.store.RunAdvance.Express;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.SqlValues;
import dev.holdfast.postgres.intake.IntakeStatements;
import dev.holdfast.postgres.job.History;
import dev.holdfast.postgres.job.TallyShards;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * Ends the jobs of steps and starts those that follow, in one statement. It is a transaction by
 * itself: runs are locked in the order of their ids before any job, and each part depends on the
 * one before, so that nothing is written for a run that has changed or a claim that is lost.
 */
final class ExpressAdvance {
  // By run_pkey, job_pkey. A run that is locked is being advanced, paused or cancelled: its step
  // ends as usual. The update finds the row that was locked, even if its snapshot is older.
  private static final String EXPRESS =
      """
      with given as materialized (
        select ?::uuid as incarnation, ?::uuid as shard
      ), locked as materialized (
        select r.id
        from unnest(?::uuid[], ?::bigint[]) u(id, seq)
        join ${schema}.run r on r.id = u.id
        where r.seq = u.seq and r.state = 'RUNNING'
        order by r.id
        for no key update of r skip locked
      ), gone as (
        delete from ${schema}.job j
        using unnest(?::uuid[], ?::bigint[], ?::text[], ?::uuid[]) f(id, token, result, run_id),
          locked l
        where j.id = f.id and j.token = f.token and l.id = f.run_id
          and coalesce(j.state = 'RUNNING' and j.run_id = f.run_id
                       and j.incarnation = (select incarnation from given), false)
        returning j.*, 'SUCCEEDED' as ended,
          (select n.id from ${schema}.node n
           where n.incarnation = (select incarnation from given)) as node,
          f.result, null::timestamptz as result_until
      ), history as (
        ${advanced}
      ), tally as (
        ${tally}
      ), moved as (
        update ${schema}.run r set
          steps = u.steps, seq = r.seq + u.events,
          bytes = r.bytes + coalesce(octet_length(g.result), 0)
        from unnest(?::uuid[], ?::text[], ?::int[]) u(id, steps, events), gone g
        where g.run_id = u.id and r.id = u.id
      ), events as (
        insert into ${schema}.run_event (run_id, seq, at, step, kind, detail)
        select e.run_id, e.seq, now(), e.step, e.kind, e.detail
        from unnest(?::uuid[], ?::bigint[], ?::smallint[], ?::text[], ?::text[])
          e(run_id, seq, step, kind, detail)
        where e.run_id in (select run_id from gone)
      ), jobs as (
        ${jobs}
        where u.run_id::uuid in (select run_id from gone)
      )
      select id, token from gone
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
            History.into(EXPRESS)
                .replace(":shard", "(select shard from given)")
                .replace("${jobs}", IntakeStatements.insertedSteps()));
  }

  Set<ClaimId> advance(UUID incarnation, List<Express> given) {
    List<Express> steps = new ArrayList<>(given);
    steps.sort(Comparator.comparing(step -> step.finish().claim().id()));
    return database.run(
        "store the success of %d steps".formatted(steps.size()),
        handle -> {
          Connection connection = handle.getConnection();
          try (PreparedStatement statement = database.prepare(connection, express)) {
            bind(connection, statement, incarnation, steps);
            return claims(statement);
          }
        });
  }

  private void bind(
      Connection c, PreparedStatement statement, UUID incarnation, List<Express> steps)
      throws SQLException {
    List<NumberedEvent> events = events(steps);
    List<NewJob> jobs =
        steps.stream().flatMap(step -> step.plan().jobs().stream()).map(RunPlan.Job::job).toList();
    statement.setObject(1, incarnation);
    statement.setObject(2, shards.next(incarnation));
    statement.setArray(3, SqlValues.array(c, "uuid", steps, step -> step.run().value()));
    statement.setArray(4, SqlValues.array(c, "int8", steps, Express::seq));
    statement.setArray(5, SqlValues.array(c, "uuid", steps, s -> s.finish().claim().id().value()));
    statement.setArray(6, SqlValues.array(c, "int8", steps, s -> s.finish().claim().token()));
    statement.setArray(7, SqlValues.texts(c, steps, step -> step.finish().result()));
    statement.setArray(8, SqlValues.array(c, "uuid", steps, step -> step.run().value()));
    statement.setArray(9, SqlValues.array(c, "uuid", steps, step -> step.run().value()));
    statement.setArray(10, SqlValues.texts(c, steps, step -> step.plan().steps()));
    statement.setArray(11, SqlValues.array(c, "int4", steps, s -> s.plan().events().size()));
    statement.setArray(12, SqlValues.array(c, "uuid", events, NumberedEvent::run));
    statement.setArray(13, SqlValues.array(c, "int8", events, NumberedEvent::seq));
    statement.setArray(14, SqlValues.array(c, "int4", events, e -> e.event.step()));
    statement.setArray(15, SqlValues.texts(c, events, e -> e.event.kind().name()));
    statement.setArray(16, SqlValues.texts(c, events, e -> e.event.detail()));
    int unused = intake.bindSteps(c, statement, 16, jobs);
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

  private static Set<ClaimId> claims(PreparedStatement statement) throws SQLException {
    Set<ClaimId> claims = new HashSet<>();
    try (ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        claims.add(new ClaimId(new JobId(row.getObject(1, UUID.class)), row.getLong(2)));
      }
    }
    return claims;
  }
}
