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

  static final String MATCHES =
      """
      r.state = any(:states::text[])
        and (:workflow::text is null or r.workflow = :workflow)
        and (:tag::text is null or r.tags @> array[:tag::text])
        and (:parent::uuid is null or r.parent_id = :parent::uuid)
        and (:createdAfter::timestamptz is null or r.created_at >= :createdAfter)
        and (:createdBefore::timestamptz is null or r.created_at < :createdBefore)\
      """;

  /** The ids of one page. */
  static final String PAGE =
      """
      (:from::uuid is null or r.id >= :from::uuid)
        and (:before::uuid is null or r.id < :before::uuid)\
      """;

  // By run_pkey and run_history_pkey, read backwards, or by run_workflow, run_tags and run_parent,
  // run_history_workflow, run_history_tags and run_history_parent.
  private static final String LIST =
      """
      select * from (
        (${open} where ${matches} and ${page} order by r.id desc limit :limit)
        union all
        (${ended} where ${matches} and ${page} order by r.id desc limit :limit)
      ) found
      order by id desc limit :limit
      """
          .replace("${open}", OPEN)
          .replace("${ended}", ENDED)
          .replace("${matches}", MATCHES)
          .replace("${page}", PAGE);

  // The names of workflows are few. For each of them and each state, the newest runs by
  // run_history_workflow, so that rare ones are found without reading the others: rows are compared
  // as a whole because the planner would prefer run_history_pkey if each column were given.
  private static final String EACH_KIND =
      """
      from (select distinct name from ${schema}.workflow_definition
            where :workflow::text is null or name = :workflow) w
      cross join unnest(:states::text[]) s(state)
      cross join lateral (\
      """;

  /** All columns of run_history_workflow, in its order. */
  static final String KIND =
      """
      (r.workflow, r.state, r.id) >= (w.name, s.state,
              coalesce(:from::uuid, '00000000-0000-0000-0000-000000000000'))
            and (r.workflow, r.state, r.id) < (w.name, s.state,
              coalesce(:before::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))\
      """;

  // By run_pkey or run_workflow.
  private static final String LIST_KINDS =
      """
      select * from (
        (${open} where ${matches} and ${page} order by r.id desc limit :limit)
        union all
        (select k.* ${each_kind}
           ${ended} where ${kind} and ${matches}
           order by r.workflow desc, r.state desc, r.id desc limit :limit
         ) k)
      ) found
      order by id desc limit :limit
      """
          .replace("${each_kind}", EACH_KIND)
          .replace("${kind}", KIND)
          .replace("${open}", OPEN)
          .replace("${ended}", ENDED)
          .replace("${matches}", MATCHES)
          .replace("${page}", PAGE);

  // The same for stranded runs, which are open. By run_pkey.
  private static final String LIST_STRANDED =
      """
      ${stranded}
      ${open} where r.id in (select id from stranded) and ${matches} and ${page}
      order by r.id desc limit :limit
      """
          .replace("${open}", OPEN)
          .replace("${matches}", MATCHES)
          .replace("${page}", PAGE);

  private final String find;
  private final String list;
  private final String listStranded;
  private final String listKinds;

  RunRows(Database database) {
    this.find = database.sql(FIND);
    this.list = database.sql(LIST);
    this.listKinds = database.sql(LIST_KINDS);
    this.listStranded = database.sql(StrandedSql.into(LIST_STRANDED));
  }

  String list(RunFilter filter) {
    return filter.onlyStranded() ? listStranded : isNarrow(filter) ? list : listKinds;
  }

  /** Returns whether tags or parents select few runs, by their own indexes. */
  static boolean isNarrow(RunFilter filter) {
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
