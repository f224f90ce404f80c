package dev.holdfast.postgres.workflow;

import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.engine.store.NewRun;
import dev.holdfast.engine.store.RunPhase;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.SqlValues;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Inserts runs. */
final class NewRuns {
  // Conflicts on run_pkey and run_unique. A first attempt whose repeat arrived before it inserts
  // nothing, by enqueue_repeat_pkey; nor does a start with a graph that is retired, by
  // workflow_definition_pkey. The graph of a child run is kept as long as that of its parent.
  private static final String INSERT =
      """
      insert into ${schema}.run (id, parent_id, parent_step, parent_item, origin, gate, gate_count,
        created_at, seq, bytes, definition, priority, retried, state, phase, workflow, steps,
        reason, input, unique_key, label, stack, started_by, tags)
      select u.id, u.parent_id, u.parent_step, u.parent_item, u.origin, u.gate, u.gate_count,
        statement_timestamp(), u.seq, u.bytes, u.definition, u.priority, u.retried, u.state,
        u.phase, u.workflow, u.steps, u.reason, u.input, u.unique_key, u.label,
        u.stack, u.started_by, u.tags::text[]
      from unnest(:ids::uuid[], :parents::uuid[], :parentSteps::smallint[], :parentItems::int[],
          :origins::uuid[], :gates::uuid[], :gateCounts::int[], :seqs::bigint[], :bytes::bigint[],
          :definitions::int[], :priorities::smallint[], :retried::boolean[], :states::text[],
          :phases::text[], :workflows::text[], :steps::text[], :reasons::text[], :inputs::text[],
          :keys::text[], :labels::text[], :stacks::text[], :startedBy::text[],
          :tags::text[], :repeats::boolean[])
        u(id, parent_id, parent_step, parent_item, origin, gate, gate_count, seq, bytes, definition,
          priority, retried, state, phase, workflow, steps, reason, input, unique_key, label, stack,
          started_by, tags, repeated)
      where (u.repeated or not exists (
          select from ${schema}.enqueue_repeat e where e.id = u.id))
        and (u.parent_id is not null or exists (
          select from ${schema}.workflow_definition d
          where d.id = u.definition and d.retired_at is null))
      on conflict do nothing
      returning id
      """;

  /**
   * A run to insert.
   *
   * @param queued whether it waits for its gate
   * @param seq the number of its last event
   */
  record Row(NewRun run, boolean queued, long seq) {
    RunState state() {
      return queued
          ? RunState.QUEUED
          : run.first().state().hasEnded() ? RunState.RUNNING : run.first().state();
    }

    RunPhase phase() {
      return queued ? RunPhase.MAIN : run.first().phase();
    }

    String steps() {
      return queued ? run.waitingSteps() : run.first().steps();
    }

    NewRun.Content content() {
      return run.content();
    }

    long bytes() {
      return run.content().inherited().stream()
          .mapToLong(result -> PlanWriter.size(result.output()))
          .sum();
    }

    @Nullable String activeKey() {
      UniqueKey key = run.content().unique();
      return key == null || key.window() != null ? null : key.value();
    }
  }

  private final String insert;

  NewRuns(Database database) {
    this.insert = database.sql(INSERT);
  }

  /** Inserts runs and returns those that were inserted: the others exist, or their key is taken. */
  Set<RunId> insert(Handle handle, List<Row> rows) {
    Set<RunId> inserted = new HashSet<>();
    if (rows.isEmpty()) {
      return inserted;
    }
    handle
        .createQuery(insert)
        .bindArray("ids", UUID.class, Columns.of(rows, r -> r.run.id().value()))
        .bindArray(
            "parents",
            UUID.class,
            Columns.of(
                rows,
                r -> r.content().parent() == null ? null : r.content().parent().run().value()))
        .bindArray(
            "parentSteps",
            Integer.class,
            Columns.of(
                rows, r -> r.content().parent() == null ? null : r.content().parent().step()))
        .bindArray(
            "parentItems",
            Integer.class,
            Columns.of(
                rows, r -> r.content().parent() == null ? null : r.content().parent().item()))
        .bindArray(
            "origins",
            UUID.class,
            Columns.of(
                rows, r -> r.content().origin() == null ? null : r.content().origin().value()))
        .bindArray("gates", UUID.class, Columns.of(rows, r -> Gates.id(r.run)))
        .bindArray(
            "gateCounts",
            Integer.class,
            Columns.of(rows, r -> r.content().gate() == null ? null : r.content().gate().count()))
        .bindArray("seqs", Long.class, Columns.of(rows, Row::seq))
        .bindArray("bytes", Long.class, Columns.of(rows, Row::bytes))
        .bindArray("definitions", Integer.class, Columns.of(rows, r -> r.content().definition()))
        .bindArray("priorities", Integer.class, Columns.of(rows, r -> r.content().priority()))
        .bindArray(
            "retried", Boolean.class, Columns.of(rows, r -> !r.content().inherited().isEmpty()))
        .bindArray("states", String.class, Columns.of(rows, r -> r.state().name()))
        .bindArray("phases", String.class, Columns.of(rows, r -> r.phase().name()))
        .bindArray("workflows", String.class, Columns.of(rows, r -> r.content().workflow()))
        .bindArray("steps", String.class, Columns.of(rows, Row::steps))
        .bindArray(
            "reasons",
            String.class,
            Columns.of(rows, r -> r.queued ? null : r.run.first().reason()))
        .bindArray("inputs", String.class, Columns.of(rows, r -> r.content().input()))
        .bindArray("keys", String.class, Columns.of(rows, Row::activeKey))
        .bindArray("labels", String.class, Columns.of(rows, r -> r.content().label()))
        .bindArray("stacks", String.class, Columns.of(rows, r -> r.content().source().stack()))
        .bindArray(
            "startedBy", String.class, Columns.of(rows, r -> r.content().source().startedBy()))
        .bindArray(
            "tags", String.class, Columns.of(rows, r -> SqlValues.arrayText(r.content().tags())))
        .bindArray("repeats", Boolean.class, Columns.of(rows, r -> r.run.mayExist()))
        .mapTo(UUID.class)
        .list()
        .forEach(id -> inserted.add(new RunId(id)));
    return inserted;
  }
}
