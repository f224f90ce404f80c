package dev.holdfast.postgres.workflow;

import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.engine.store.RunPhase;
import dev.holdfast.postgres.db.Database;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Moves runs to history, and gives their parents a result and a mark. */
final class RunEndings {
  /** The columns that a run keeps when it ends and when it is reopened. */
  static final String KEPT =
      """
      id, parent_id, origin, gate, created_at, seq, bytes, definition, parent_item, gate_count,
      parent_step, priority, workflow, input, unique_key, label, stack, started_by, tags\
      """;

  /** Returns the values of these columns, two of them replaced by expressions. */
  static String keptWith(String seq, String bytes) {
    return KEPT.replace(" seq,", " " + seq + ",").replace(" bytes,", " " + bytes + ",");
  }

  // By run_pkey, run_timer_pkey and run_mark_run; conflicts on run_result_pkey. A parent that has
  // ended, because the timeout of the step passed, needs no mark.
  private static final String END =
      """
      with e as materialized (
        select * from unnest(:ids::uuid[], :states::text[], :phases::text[], :letters::text[],
            :reasons::text[], :results::text[], :summaries::text[])
          e(run, ended, last_phase, letters, why, result, summary)
      ), gone as (
        delete from ${schema}.run r using e where r.id = e.run returning r.*, e.*
      ), history as (
        insert into ${schema}.run_history (${kept}, ended_at, state, phase, steps, reason, result,
          summary)
        select ${kept}, now(), ended, coalesce(last_phase, phase), coalesce(letters, steps), why,
               result, case when parent_id is not null then summary end
        from gone
      ), timers as (
        delete from ${schema}.run_timer t using e where t.run_id = e.run
      ), marks as (
        delete from ${schema}.run_mark m using e where m.run_id = e.run
      ), told as (
        select g.* from gone g
        where exists (select from ${schema}.run p where p.id = g.parent_id)
      ), parent_result as (
        insert into ${schema}.run_result (run_id, step, item, outcome, attempt, started_at,
          finished_at, output, code, message)
        select parent_id, parent_step, parent_item,
          case ended when 'SUCCEEDED' then 'S' when 'CANCELLED' then 'C' else 'F' end::"char",
          1, created_at, now(), summary,
          case ended when 'SUCCEEDED' then null when 'CANCELLED' then 'RUN_CANCELLED'
                     else 'RUN_FAILED' end,
          case when ended <> 'SUCCEEDED' then coalesce(why, '') end
        from told
        on conflict do nothing
      ), parent_mark as (
        insert into ${schema}.run_mark (run_id, kind, step, ok, failed, cancelled, bytes)
        select parent_id, 'ENDED', parent_step,
          count(*) filter (where ended = 'SUCCEEDED'),
          count(*) filter (where ended = 'FAILED'),
          count(*) filter (where ended = 'CANCELLED'),
          coalesce(sum(octet_length(summary)), 0)
        from told
        group by parent_id, parent_step
      )
      select id, parent_id, gate from gone
      """;

  /**
   * How a run ended.
   *
   * @param phase its last phase; null for the current one
   * @param steps the letters of its steps; null for the current ones
   */
  record Ending(
      RunId id,
      RunState state,
      @Nullable RunPhase phase,
      @Nullable String steps,
      @Nullable String reason,
      @Nullable String result,
      @Nullable String summary) {
    static Ending cancelled(RunId id, String reason) {
      return new Ending(id, RunState.CANCELLED, null, null, reason, null, null);
    }
  }

  /**
   * What has to be notified that runs ended.
   *
   * @param parents the runs that have a mark now
   * @param gates the gates that may have room
   */
  record Told(Set<RunId> parents, Set<UUID> gates) {}

  private final String end;

  RunEndings(Database database) {
    this.end = database.sql(END.replace("${kept}", KEPT));
  }

  Told end(Handle handle, List<Ending> endings) {
    Set<RunId> parents = new HashSet<>();
    Set<UUID> gates = new HashSet<>();
    if (!endings.isEmpty()) {
      handle
          .createQuery(end)
          .bindArray("ids", UUID.class, Columns.of(endings, e -> e.id.value()))
          .bindArray("states", String.class, Columns.of(endings, e -> e.state.name()))
          .bindArray(
              "phases",
              String.class,
              Columns.of(endings, e -> e.phase == null ? null : e.phase.name()))
          .bindArray("letters", String.class, Columns.of(endings, Ending::steps))
          .bindArray("reasons", String.class, Columns.of(endings, Ending::reason))
          .bindArray("results", String.class, Columns.of(endings, Ending::result))
          .bindArray("summaries", String.class, Columns.of(endings, Ending::summary))
          .map((row, context) ->
              new @Nullable UUID[] {row.getObject(2, UUID.class), row.getObject(3, UUID.class)})
          .list()
          .forEach(row -> {
            if (row[0] != null) {
              parents.add(new RunId(row[0]));
            }
            if (row[1] != null) {
              gates.add(row[1]);
            }
          });
    }
    return new Told(parents, gates);
  }
}
