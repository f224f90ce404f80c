package dev.holdfast.postgres.query;

import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobState;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/** The conditions of a {@link JobFilter} in SQL, apart from the state. */
final class FilterSql {
  private static final Pattern PLACE =
      Pattern.compile("\\$\\{(\\w+)\\.(matches|created|page|kind)}");

  private static final String NAMED =
      """
      (:queue::text is null or $1.queue = :queue)
      and (:task::text is null or $1.task = :task)\
      """;

  private static final String TAGGED = "(:tag::text is null or $1.tags @> array[:tag::text])";

  private static final String CREATED =
      """
      (:createdAfter::timestamptz is null or $1.created_at >= :createdAfter)
      and (:createdBefore::timestamptz is null or $1.created_at < :createdBefore)\
      """;

  private static final String IDS =
      """
      (:from::uuid is null or $1.id >= :from::uuid)
      and (:before::uuid is null or $1.id < :before::uuid)\
      """;

  // All columns of job_history_task, in its order.
  private static final String OF_KIND =
      """
      ($1.task, $1.queue, $1.state, $1.id) >= (kind.task, kind.queue, kind.state,
        coalesce(:from::uuid, '00000000-0000-0000-0000-000000000000'))
      and ($1.task, $1.queue, $1.state, $1.id) < (kind.task, kind.queue, kind.state,
        coalesce(:before::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))\
      """;

  private FilterSql() {}

  /**
   * Replaces what stands for conditions on the columns of a table: {@code ${j.matches}} for those
   * of the filter on table {@code j}; {@code ${j.created}} for those of the filter on creation
   * times; {@code ${j.page}} for those on its id; {@code ${h.kind}} for those on its id and the
   * columns of {@code kind}.
   */
  static String complete(String statement) {
    return PLACE
        .matcher(statement)
        .replaceAll(place ->
            Matcher.quoteReplacement(conditions(place.group(2)).replace("$1", place.group(1))));
  }

  private static String conditions(String name) {
    return switch (name) {
      case "matches" -> String.join("\nand ", NAMED, TAGGED, CREATED);
      case "created" -> CREATED;
      case "page" -> IDS;
      case "kind" -> OF_KIND;
      default -> throw new IllegalArgumentException("No conditions are called " + name);
    };
  }

  /** Binds the values of the conditions, and the states. */
  static Query bind(Query query, JobFilter filter) {
    List<String> states =
        Arrays.stream(JobState.values()).filter(filter::admits).map(JobState::name).toList();
    return query
        .bindArray("states", String.class, states)
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
