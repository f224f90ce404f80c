package dev.holdfast.postgres.workflow;

import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.engine.store.RunMark;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.postgres.db.Database;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Writes marks and events. */
final class RunNotes {
  private static final String MARK =
      """
      insert into ${schema}.run_mark (run_id, kind, step, ok, failed, cancelled)
      select * from unnest(:runs::uuid[], :kinds::text[], :steps::smallint[], :ok::int[],
                           :failed::int[], :cancelled::int[])
      """;

  private static final String EVENTS =
      """
      insert into ${schema}.run_event (run_id, seq, at, step, kind, detail)
      select u.run_id, u.seq, now(), u.step, u.kind, u.detail
      from unnest(:runs::uuid[], :seqs::bigint[], :steps::smallint[], :kinds::text[],
                  :details::text[])
        u(run_id, seq, step, kind, detail)
      """;

  // By run_pkey. The runs are locked, so numbers become visible in their order.
  private static final String EVENT =
      """
      with numbered as (
        update ${schema}.run set seq = seq + 1 where id = any(:runs::uuid[]) returning id, seq
      )
      insert into ${schema}.run_event (run_id, seq, at, step, kind, detail)
      select id, seq, now(), -1, :kind, :detail from numbered
      """;

  /** A mark for a run. */
  record Mark(RunId run, RunMark mark) {}

  /** An event with its number. */
  record Numbered(RunId run, long seq, RunPlan.Event event) {}

  private final String mark;
  private final String events;
  private final String event;

  RunNotes(Database database) {
    this.mark = database.sql(MARK);
    this.events = database.sql(EVENTS);
    this.event = database.sql(EVENT);
  }

  void mark(Handle handle, Collection<Mark> marks) {
    if (marks.isEmpty()) {
      return;
    }
    handle
        .createUpdate(mark)
        .bindArray("runs", UUID.class, Columns.of(marks, m -> m.run.value()))
        .bindArray("kinds", String.class, Columns.of(marks, m -> m.mark.kind().name()))
        .bindArray("steps", Integer.class, Columns.of(marks, m -> m.mark.step()))
        .bindArray("ok", Integer.class, Columns.of(marks, m -> m.mark.succeeded()))
        .bindArray("failed", Integer.class, Columns.of(marks, m -> m.mark.failed()))
        .bindArray("cancelled", Integer.class, Columns.of(marks, m -> m.mark.cancelled()))
        .execute();
  }

  /** Lets the next advance look at runs. */
  void look(Handle handle, Collection<RunId> runs) {
    mark(
        handle,
        runs.stream().map(run -> new Mark(run, RunMark.of(RunMark.Kind.LOOK, -1))).toList());
  }

  void events(Handle handle, List<Numbered> rows) {
    if (rows.isEmpty()) {
      return;
    }
    handle
        .createUpdate(events)
        .bindArray("runs", UUID.class, Columns.of(rows, e -> e.run.value()))
        .bindArray("seqs", Long.class, Columns.of(rows, Numbered::seq))
        .bindArray("steps", Integer.class, Columns.of(rows, e -> e.event.step()))
        .bindArray("kinds", String.class, Columns.of(rows, e -> e.event.kind().name()))
        .bindArray("details", String.class, Columns.of(rows, e -> e.event.detail()))
        .execute();
  }

  /** Adds an event to each of the runs, which are locked. */
  void event(Handle handle, Collection<RunId> runs, RunEvent.Kind kind, @Nullable String detail) {
    if (!runs.isEmpty()) {
      handle
          .createUpdate(event)
          .bindArray("runs", UUID.class, Columns.ids(runs))
          .bind("kind", kind.name())
          .bind("detail", detail)
          .execute();
    }
  }
}
