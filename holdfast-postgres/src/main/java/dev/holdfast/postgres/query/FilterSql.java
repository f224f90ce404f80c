package dev.holdfast.postgres.query;

import dev.holdfast.api.job.JobFilter;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.regex.Pattern;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/** The conditions of a {@link JobFilter} in SQL, apart from the state. */
final class FilterSql {
  private static final Pattern PLACE = Pattern.compile("\\$\\{(\\w+)\\.matches}");

  private static final String CONDITIONS =
      """
      (:queue::text is null or $1.queue = :queue)
      and (:task::text is null or $1.task = :task)
      and (:tag::text is null or $1.tags @> array[:tag::text])
      and (:createdAfter::timestamptz is null or $1.created_at >= :createdAfter)
      and (:createdBefore::timestamptz is null or $1.created_at < :createdBefore)\
      """;

  private FilterSql() {}

  /** Replaces {@code ${j.matches}} by the conditions on the columns of the table {@code j}. */
  static String complete(String statement) {
    return PLACE.matcher(statement).replaceAll(CONDITIONS);
  }

  /** Binds the values of the conditions. */
  static Query bind(Query query, JobFilter filter) {
    return query
        .bind("queue", filter.queue())
        .bind("task", filter.task())
        .bind("tag", filter.tag())
        .bind("createdAfter", utc(filter.createdAfter()))
        .bind("createdBefore", utc(filter.createdBefore()));
  }

  private static @Nullable OffsetDateTime utc(@Nullable Instant time) {
    return time == null ? null : time.atOffset(ZoneOffset.UTC);
  }
}
