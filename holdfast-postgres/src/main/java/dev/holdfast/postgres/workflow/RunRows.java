package dev.holdfast.postgres.workflow;

import dev.holdfast.api.workflow.RunFilter;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.engine.store.RunPhase;
import dev.holdfast.engine.store.RunRow;
import dev.holdfast.engine.store.RunSource;
import dev.holdfast.engine.store.StepRef;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.SqlValues;
import dev.holdfast.postgres.job.StrandedSql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/** Reads the rows of runs, open and ended. */
final class RunRows {
  private static final String COLUMNS =
      """
      r.id, r.workflow, r.definition, coalesce(d.hash, ''), r.state, r.phase, r.steps, r.reason, r.input,
      ${result} as result, r.label, r.tags, r.unique_key, r.parent_id, r.parent_step, r.parent_item,
      r.origin, r.created_at, ${ended} as ended_at, r.bytes, r.stack, r.started_by,
      r.priority\
      """;

  private static final String OPEN =
      """
      select ${columns}
      from ${schema}.run r left join ${schema}.workflow_definition d on d.id = r.definition
      """
          .replace("${columns}", COLUMNS)
          .replace("${result}", "null::text")
          .replace("${ended}", "null::timestamptz");

  private static final String ENDED =
      """
      select ${columns}
      from ${schema}.run_history r left join ${schema}.workflow_definition d on d.id = r.definition
      """
          .replace("${columns}", COLUMNS)
          .replace("${result}", "r.result")
          .replace("${ended}", "r.ended_at");

  // One snapshot, in which a run that is ending is in exactly one of the tables. By run_pkey,
  // run_history_pkey and workflow_definition_pkey.
  private static final String FIND =
      OPEN + " where r.id = :id union all " + ENDED + " where r.id = :id";

  private static final String MATCHES =
      """
      r.state = any(:states::text[])
        and (:workflow::text is null or r.workflow = :workflow)
        and (:tag::text is null or r.tags @> array[:tag::text])
        and (:parent::uuid is null or r.parent_id = :parent::uuid)
        and (:createdAfter::timestamptz is null or r.created_at >= :createdAfter)
        and (:createdBefore::timestamptz is null or r.created_at < :createdBefore)\
      """;

  // By run_pkey and run_history_pkey, read backwards, or by run_workflow, run_tags and run_parent,
  // run_history_workflow, run_history_tags and run_history_parent.
  private static final String LIST =
      """
      select * from (
        (${open} where ${matches} and (:before::uuid is null or r.id < :before::uuid)
         order by r.id desc limit :limit)
        union all
        (${ended} where ${matches} and (:before::uuid is null or r.id < :before::uuid)
         order by r.id desc limit :limit)
      ) found
      order by id desc limit :limit
      """
          .replace("${open}", OPEN)
          .replace("${ended}", ENDED)
          .replace("${matches}", MATCHES);

  // The names of workflows are few. For each of them and each state, the newest runs by
  // run_history_workflow, so that rare ones are found without reading the others.
  private static final String EACH_KIND =
      """
      from (select distinct name from ${schema}.workflow_definition
            where :workflow::text is null or name = :workflow) w
      cross join unnest(:states::text[]) s(state)
      cross join lateral (\
      """;

  // By run_pkey or run_workflow.
  private static final String LIST_KINDS =
      """
      select * from (
        (${open} where ${matches} and (:before::uuid is null or r.id < :before::uuid)
         order by r.id desc limit :limit)
        union all
        (select k.* ${each_kind}
           ${ended} where r.workflow = w.name and r.state = s.state and ${matches}
             and (:before::uuid is null or r.id < :before::uuid)
           order by r.workflow desc, r.state desc, r.id desc limit :limit
         ) k)
      ) found
      order by id desc limit :limit
      """
          .replace("${each_kind}", EACH_KIND)
          .replace("${open}", OPEN)
          .replace("${ended}", ENDED)
          .replace("${matches}", MATCHES);

  // The same; at most 1,000,000 entries of the index, shared by all kinds.
  private static final String COUNT_KINDS =
      """
      select state, sum(runs)::bigint from (
        select r.state, count(*) as runs from ${schema}.run r where ${matches} group by r.state
        union all
        select s.state, k.runs ${each_kind}
          select count(*) as runs from (
            select from ${schema}.run_history r
            where r.workflow = w.name and r.state = s.state and ${matches}
            order by r.workflow desc, r.state desc, r.id desc
            limit greatest(1000, 1000000 / (
              select 1 + 3 * count(distinct name) from ${schema}.workflow_definition
              where :workflow::text is null or name = :workflow))
          ) f
        ) k
        where s.state in ('SUCCEEDED', 'FAILED', 'CANCELLED') and k.runs > 0
      ) found
      group by state
      """
          .replace("${each_kind}", EACH_KIND)
          .replace("${matches}", MATCHES);

  // The same for stranded runs, which are open. By run_pkey.
  private static final String LIST_STRANDED =
      """
      ${stranded}
      ${open} where r.id in (select id from stranded) and ${matches}
        and (:before::uuid is null or r.id < :before::uuid)
      order by r.id desc limit :limit
      """
          .replace("${open}", OPEN)
          .replace("${matches}", MATCHES);

  private static final String COUNT_STRANDED =
      """
      ${stranded}
      select r.state, count(*) from ${schema}.run r
      where r.id in (select id from stranded) and ${matches}
      group by r.state
      """
          .replace("${matches}", MATCHES);

  // By the same indexes.
  private static final String COUNT =
      """
      select state, count(*) from (
        select r.state from ${schema}.run r where ${matches}
        union all
        select r.state from ${schema}.run_history r where ${matches}
      ) found
      group by state
      """
          .replace("${matches}", MATCHES);

  private final String find;
  private final String list;
  private final String count;
  private final String listStranded;
  private final String countStranded;
  private final String listKinds;
  private final String countKinds;

  RunRows(Database database) {
    this.find = database.sql(FIND);
    this.list = database.sql(LIST);
    this.count = database.sql(COUNT);
    this.listKinds = database.sql(LIST_KINDS);
    this.countKinds = database.sql(COUNT_KINDS);
    this.listStranded = database.sql(StrandedSql.into(LIST_STRANDED));
    this.countStranded = database.sql(StrandedSql.into(COUNT_STRANDED));
  }

  String list(RunFilter filter) {
    return filter.onlyStranded() ? listStranded : isNarrow(filter) ? list : listKinds;
  }

  String count(RunFilter filter) {
    return filter.onlyStranded() ? countStranded : isNarrow(filter) ? count : countKinds;
  }

  /** Returns whether tags or parents select few runs, by their own indexes. */
  private static boolean isNarrow(RunFilter filter) {
    return filter.tag() != null || filter.parent() != null;
  }

  Optional<RunRow> find(Handle handle, RunId id) {
    return handle
        .createQuery(find)
        .bind("id", id.value())
        .map((row, context) -> read(row))
        .findFirst();
  }

  static RunRow read(ResultSet row) throws SQLException {
    UUID parent = row.getObject(14, UUID.class);
    UUID origin = row.getObject(17, UUID.class);
    return new RunRow(
        new RunId(row.getObject(1, UUID.class)),
        row.getString(2),
        row.getInt(3),
        row.getString(4),
        RunState.valueOf(row.getString(5)),
        RunPhase.valueOf(row.getString(6)),
        row.getString(7),
        row.getString(8),
        row.getString(9),
        row.getString(10),
        row.getString(11),
        SqlValues.strings(row, 12),
        row.getString(13),
        parent == null ? null : new StepRef(new RunId(parent), row.getInt(15), row.getInt(16)),
        origin == null ? null : new RunId(origin),
        SqlValues.instant(row, 18),
        SqlValues.instantOrNull(row, 19),
        row.getLong(20),
        new RunSource(row.getString(21), row.getString(22)),
        row.getObject(23, Integer.class));
  }
}
