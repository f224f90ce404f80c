package dev.holdfast.postgres.workflow;

import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.postgres.db.CustomPlan;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.job.HistorySearch;
import dev.holdfast.postgres.job.HistorySearch.Window;
import dev.holdfast.postgres.workflow.RunDamage.Stuck;
import java.sql.SQLException;
import java.util.List;
import org.jdbi.v3.core.Handle;

/** Gives a result and a mark to an active step that has no job, under the lock of its run. */
final class StuckSteps {
  // By run_map_pkey and run_result_pkey. The counters are computed from the results; jobs that
  // disappeared count as failed.
  private static final String MAP =
      """
      with lost as (
        insert into ${schema}.run_result (run_id, step, item, outcome, attempt, finished_at, code,
          message)
        select m.run_id, m.step, i.item, 'F', 0, now(), 'RESULT_NOT_AVAILABLE',
               'The job of this element no longer exists.'
        from ${schema}.run_map m cross join lateral generate_series(0, m.inserted - 1) i(item)
        where m.run_id = :run and m.step = :step
        on conflict do nothing
        returning item
      ), known as (
        select count(*) filter (where outcome = 'S') as ok,
               count(*) filter (where outcome = 'F') as failed,
               count(*) filter (where outcome = 'C') as cancelled
        from ${schema}.run_result where run_id = :run and step = :step and item >= 0
      )
      update ${schema}.run_map m set
        ok = known.ok, failed = known.failed + (select count(*) from lost),
        cancelled = known.cancelled
      from known where m.run_id = :run and m.step = :step
      """;

  // By run_result_pkey.
  private static final String MARK =
      """
      insert into ${schema}.run_mark (run_id, kind, step, ok, failed, cancelled)
      select run_id, 'ENDED', step, (outcome = 'S')::int, (outcome = 'F')::int, (outcome = 'C')::int
      from ${schema}.run_result where run_id = :run and step = :step and item = -1
      """;

  // By run_history_parent.
  private static final String FROM_CHILD =
      """
      insert into ${schema}.run_result (run_id, step, item, outcome, attempt, started_at,
        finished_at, output, code, message)
      select parent_id, parent_step, parent_item,
        case state when 'SUCCEEDED' then 'S' when 'CANCELLED' then 'C' else 'F' end::"char",
        1, created_at, ended_at,
        summary,
        case state when 'SUCCEEDED' then null when 'CANCELLED' then 'RUN_CANCELLED'
                   else 'RUN_FAILED' end,
        case when state <> 'SUCCEEDED' then coalesce(reason, '') end
      from ${schema}.run_history where parent_id = :run and parent_step = :step
      order by id desc limit 1
      on conflict do nothing
      """;

  // By dead_letter_run.
  private static final String FROM_DEAD_LETTER =
      """
      insert into ${schema}.run_result (run_id, step, item, outcome, attempt, token, job_id,
        started_at, finished_at, code, message)
      select run_id, step, item, 'F', attempt, token, id, started_at, finished_at,
        coalesce(failures -> -1 ->> 'code', 'WORKER_CRASHED'),
        coalesce(failures -> -1 ->> 'message', '')
      from ${schema}.dead_letter where run_id = :run and step = :step and item = -1
      limit 1
      on conflict do nothing
      """;

  private static final String SYNTHESIZED =
      """
      insert into ${schema}.run_result (run_id, step, item, outcome, attempt, finished_at, code,
        message)
      values (:run, :step, -1, :outcome::"char", 0, now(), :code, :message)
      on conflict do nothing
      """;

  // By tally_pkey and job_history_task of the partitions of a window. The id of the job is greater
  // than that of its run, and few jobs are cancelled.
  private static final String CANCELLED =
      """
      select exists (
        select from (select distinct task from ${schema}.tally where state = 'CANCELLED') k
        cross join lateral (
          select from ${schema}.job_history h
          where h.task = k.task and h.state = 'CANCELLED' and h.id > :run
            and h.run_id = :run and h.step = :step and h.item = -1
            and h.finished_at >= :from and h.finished_at < :to
          limit 1
        ) found)
      """;

  private final HistorySearch history;
  private final RunNotes notes;
  private final String map;
  private final String mark;
  private final String fromChild;
  private final String fromDeadLetter;
  private final String synthesized;
  private final String cancelled;

  StuckSteps(Database database) {
    this.history = new HistorySearch(database);
    this.notes = new RunNotes(database);
    this.map = database.sql(MAP);
    this.mark = database.sql(MARK);
    this.fromChild = database.sql(FROM_CHILD);
    this.fromDeadLetter = database.sql(FROM_DEAD_LETTER);
    this.synthesized = database.sql(SYNTHESIZED);
    this.cancelled = database.sql(CANCELLED);
  }

  /** Repairs a step and returns what was done. */
  String repair(Handle handle, Stuck stuck) throws SQLException {
    String done = end(handle, stuck);
    notes.event(handle, List.of(stuck.run()), RunEvent.Kind.RECOVERED, done);
    return "Run %s, step %d: %s".formatted(stuck.run(), stuck.step(), done);
  }

  private String end(Handle handle, Stuck stuck) throws SQLException {
    if (write(handle, map, stuck)) {
      notes.look(handle, List.of(stuck.run()));
      return "counted the results of its map again";
    }
    if (write(handle, mark, stuck)) {
      return "marked its result";
    }
    if (write(handle, fromChild, stuck)) {
      write(handle, mark, stuck);
      return "took the result of its child run";
    }
    if (write(handle, fromDeadLetter, stuck)) {
      write(handle, mark, stuck);
      return "took the failure of its dead-lettered job";
    }
    boolean wasCancelled = wasCancelled(handle, stuck);
    handle
        .createUpdate(synthesized)
        .bind("run", stuck.run().value())
        .bind("step", stuck.step())
        .bind("outcome", wasCancelled ? "C" : "F")
        .bind("code", wasCancelled ? "TASK_CANCELLED" : "RESULT_NOT_AVAILABLE")
        .bind("message", wasCancelled ? "The job was cancelled." : "The job no longer exists.")
        .execute();
    write(handle, mark, stuck);
    return wasCancelled ? "ended with TASK_CANCELLED" : "ended with RESULT_NOT_AVAILABLE";
  }

  private boolean write(Handle handle, String sql, Stuck stuck) {
    return handle
            .createUpdate(sql)
            .bind("run", stuck.run().value())
            .bind("step", stuck.step())
            .execute()
        > 0;
  }

  private boolean wasCancelled(Handle handle, Stuck stuck) throws SQLException {
    for (Window window : history.all(handle.getConnection())) {
      boolean found =
          handle
              .createQuery(cancelled)
              .addCustomizer(CustomPlan.INSTANCE)
              .bind("run", stuck.run().value())
              .bind("step", stuck.step())
              .bind("from", window.start())
              .bind("to", window.end())
              .mapTo(Boolean.class)
              .one();
      if (found) {
        return true;
      }
    }
    return false;
  }
}
