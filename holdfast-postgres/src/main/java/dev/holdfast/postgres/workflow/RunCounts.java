package dev.holdfast.postgres.workflow;

import dev.holdfast.api.Counts;
import dev.holdfast.api.workflow.RunFilter;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.job.BoundedCounts;
import dev.holdfast.postgres.job.IdRange;
import dev.holdfast.postgres.job.StrandedSql;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jdbi.v3.core.statement.Query;

/** Counts runs by state, up to a bound. */
final class RunCounts {
  // Of open runs a bounded number is read, backwards: by run_state or, for RUNNING, which that
  // index does not contain, by run_pkey or run_workflow. Ended runs by run_history_workflow.
  private static final String COUNT_KINDS =
      """
      with running as (
        select r.state = 'RUNNING' and ${matches} as ok from ${schema}.run r
        where 'RUNNING' = any(:states::text[]) and ${page}
          and (:workflow::text is null or r.workflow = :workflow)
        order by r.id desc limit :read + 1
      )
      select 'RUNNING', count(*) filter (where ok), count(*) > :read from running
      union all
      ${others}
      union all
      select s.state, (
        select count(*) from (
          select from (
            select distinct name from ${schema}.workflow_definition
            where :workflow::text is null or name = :workflow
          ) w
          cross join lateral (
            select from ${schema}.run_history r
            where ${kind} and ${matches}
            order by r.workflow desc, r.state desc, r.id desc limit :most + 1
          ) k
          limit :most + 1
        ) f), false
      from unnest(array['SUCCEEDED', 'FAILED', 'CANCELLED']) s(state)
      where s.state = any(:states::text[])
      """;

  private static final String OF_STATE =
      """
      select '${state}', count(*) filter (where f.ok), count(*) > :read
      from (
        select ${matches} as ok from ${schema}.run r
        where r.state = '${state}' and '${state}' = any(:states::text[]) and ${page}
        order by r.id desc limit :read + 1
      ) f\
      """;

  // By run_tags, run_history_tags, run_parent and run_history_parent.
  private static final String COUNT_NARROW =
      """
      ${open}
      union all
      ${ended}
      """;

  // A bounded number of runs, read once.
  private static final String OF_READ =
      """
      select s.state, coalesce(max(g.runs) filter (where g.state = s.state), 0),
             coalesce(sum(g.runs), 0) > :read
      from unnest(array[${states}]) s(state)
      left join (
        select f.state, count(*) as runs
        from (select r.state from ${schema}.${table} r where ${matches} limit :read + 1) f
        group by f.state
      ) g on true
      where s.state = any(:states::text[])
      group by s.state\
      """;

  // By run_pkey.
  private static final String COUNT_STRANDED =
      """
      ${stranded}
      select r.state, count(*), (select count(*) >= :mostStranded from stranded)
      from ${schema}.run r
      where r.id in (select id from stranded) and ${matches}
      group by r.state
      """;

  private final String kinds;
  private final String narrow;
  private final String stranded;

  RunCounts(Database database) {
    String others =
        Stream.of("QUEUED", "PAUSED", "CANCELLING")
            .map(state -> OF_STATE.replace("${state}", state))
            .collect(Collectors.joining("\nunion all\n"));
    this.kinds = complete(database, COUNT_KINDS.replace("${others}", others));
    this.narrow =
        complete(
            database,
            COUNT_NARROW
                .replace("${open}", read("run", "'QUEUED', 'RUNNING', 'PAUSED', 'CANCELLING'"))
                .replace("${ended}", read("run_history", "'SUCCEEDED', 'FAILED', 'CANCELLED'")));
    this.stranded = complete(database, StrandedSql.into(COUNT_STRANDED));
  }

  private static String read(String table, String states) {
    return OF_READ.replace("${table}", table).replace("${states}", states);
  }

  private static String complete(Database database, String statement) {
    return database.sql(
        statement
            .replace("${matches}", RunRows.MATCHES)
            .replace("${page}", RunRows.PAGE)
            .replace("${kind}", RunRows.KIND));
  }

  /**
   * Counts runs.
   *
   * @param most the maximum number in each state
   * @param ranges where to look for ids
   * @param query creates a query with the parameters of the filter
   */
  Counts<RunState> count(
      RunFilter filter, int most, List<IdRange> ranges, Function<String, Query> query) {
    BoundedCounts<RunState> counts = new BoundedCounts<>(RunState.class, most, state -> false);
    if (filter.onlyStranded()) {
      counts.add(query.apply(stranded));
    } else if (RunRows.isNarrow(filter)) {
      counts.add(query.apply(narrow));
    } else {
      for (IdRange range : ranges) {
        counts.add(query.apply(kinds).bind("from", range.from()).bind("before", range.before()));
      }
    }
    return counts.read();
  }
}
