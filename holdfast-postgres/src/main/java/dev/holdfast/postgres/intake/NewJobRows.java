package dev.holdfast.postgres.intake;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.job.When;
import dev.holdfast.engine.store.LargePayload;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.engine.store.StepRef;
import dev.holdfast.postgres.db.SqlValues;
import dev.holdfast.postgres.job.JobColumns;
import dev.holdfast.postgres.job.JobColumns.Given;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The rows of new jobs: the parts of statements that write them, and their parameters.
 *
 * @param agingMicros how much waiting time is worth one step of priority
 */
record NewJobRows(long agingMicros) {
  /** The index of the parameter for the first of the given columns. */
  private static final int FIRST_GIVEN = 8;

  /** The index of the parameter that follows those of the rows. */
  static final int AFTER_ROWS = FIRST_GIVEN + Given.values().length;

  static final String ROWS =
      """
      from unnest(?::uuid[], ?::int[], ?::int[], ?::bigint[], ?::timestamptz[], ?::bigint[],
                  ${arrays}${more_arrays})
        u(id, ordinal, priority, delay, at, start_within, ${given}${more_names})
      cross join lateral (
        select greatest(statement_timestamp(), u.at,
                        statement_timestamp() + u.delay * interval '1 microsecond') as run_at
      ) t
      """;

  // One microsecond of rank for each position keeps the order of a list.
  static final String INTO_JOB =
      """
      insert into ${schema}.job
        (id, created_at, run_at, rank, start_by, priority, state, ${more_columns}${given})
      select
        u.id, statement_timestamp(), t.run_at,
        t.run_at + (u.ordinal - u.priority * ?::bigint) * interval '1 microsecond',
        t.run_at + u.start_within * interval '1 microsecond',
        u.priority,
        case ${when_held}when t.run_at <= statement_timestamp() then 'READY' else 'SCHEDULED' end,
        ${more_values}${values}
      """
          + ROWS;

  /** What is different if some of the jobs start at once: u.claim_no, and what a claim sets. */
  private static final Map<String, String> HELD =
      Map.of(
          "${more_arrays}",
          ", ?::bigint[]",
          "${more_names}",
          ", claim_no",
          "${more_columns}",
          "attempt, token, started_at, incarnation, claim_no, ",
          "${when_held}",
          "when ${held} then 'RUNNING' ",
          "${more_values}",
          """
          case when ${held} then 1 else 0 end,
          coalesce((select first_token from ${schema}.token_epoch), 0)
            + case when ${held} then 1 else 0 end,
          case when ${held} then statement_timestamp() end,
          case when ${held} then ${incarnation} end, case when ${held} then u.claim_no end,
          """);

  /**
   * Returns the part of a statement that inserts the jobs of steps, and starts some of them at once
   * for a node. The rows {@code u} have the columns of the job as texts, so a condition can follow.
   *
   * @param gate the condition under which the node may start a job {@code u}
   * @param incarnation the expression for the incarnation of the node
   */
  static String startedSteps(String gate, String incarnation) {
    String statement = INTO_JOB;
    for (Map.Entry<String, String> part : HELD.entrySet()) {
      statement = statement.replace(part.getKey(), part.getValue());
    }
    return JobColumns.fromGiven(
        statement
            .replace(
                "${held}",
                "t.run_at <= statement_timestamp() and u.claim_no is not null and " + gate)
            .replace("${incarnation}", incarnation));
  }

  /** Completes a statement that starts no job. */
  static String plain(String statement) {
    String plain = statement;
    for (String part : HELD.keySet()) {
      plain = plain.replace(part, "");
    }
    return JobColumns.fromGiven(plain);
  }

  /**
   * Binds the rows to a statement that contains {@link #ROWS}.
   *
   * @param before how many parameters precede them
   * @param ids the ids of the rows
   */
  void bind(
      Connection c, PreparedStatement statement, int before, List<Candidate> jobs, List<UUID> ids)
      throws SQLException {
    statement.setLong(before + 1, agingMicros);
    statement.setArray(before + 2, c.createArrayOf("uuid", ids.toArray()));
    statement.setArray(before + 3, SqlValues.array(c, "int4", jobs, Candidate::ordinal));
    statement.setArray(
        before + 4, SqlValues.array(c, "int4", jobs, e -> e.job().content().priority()));
    statement.setArray(before + 5, SqlValues.array(c, "int8", jobs, e -> delay(e.job().when())));
    statement.setArray(
        before + 6, SqlValues.array(c, "timestamptz", jobs, e -> at(e.job().when())));
    statement.setArray(
        before + 7,
        SqlValues.array(
            c, "int8", jobs, e -> SqlValues.microsOrNull(e.job().content().startWithin())));
    int next = before + FIRST_GIVEN;
    for (Given column : Given.values()) {
      statement.setArray(next++, SqlValues.texts(c, jobs, e -> value(column, e)));
    }
  }

  private static @Nullable String value(Given column, Candidate entry) {
    NewJob job = entry.job();
    StepRef step = job.content().stamp().step();
    return switch (column) {
      case QUEUE -> job.content().queue();
      case TASK -> job.content().task();
      case PAYLOAD -> LargePayload.isIn(job) ? null : job.content().payload();
      case PAYLOAD_REF -> {
        UUID ref = LargePayload.id(job);
        yield ref == null ? null : ref.toString();
      }
      case POLICY -> job.content().policy();
      case TAGS -> SqlValues.arrayText(job.content().tags());
      case UNIQUE_KEY -> key(entry, false);
      case LEDGER_KEY -> key(entry, true);
      case STACK -> job.content().stamp().stack();
      case SOURCE -> job.content().stamp().source();
      case PARENT -> {
        JobId parent = job.content().stamp().parent();
        yield parent == null ? null : parent.toString();
      }
      case RUN_ID -> step == null ? null : step.run().toString();
      case STEP -> step == null ? null : Integer.toString(step.step());
      case ITEM -> step == null ? null : Integer.toString(step.item());
    };
  }

  private static @Nullable Long delay(When when) {
    return when instanceof When.After(Duration delay) ? SqlValues.micros(delay) : null;
  }

  private static @Nullable String at(When when) {
    return when instanceof When.At(var time) ? time.toString() : null;
  }

  private static @Nullable String key(Candidate entry, boolean windowed) {
    UniqueKey key = entry.key();
    return key != null && entry.isWindowed() == windowed ? key.value() : null;
  }
}
