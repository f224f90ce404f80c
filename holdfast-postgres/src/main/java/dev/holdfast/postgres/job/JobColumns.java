package dev.holdfast.postgres.job;

import static java.util.stream.Collectors.joining;

import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.engine.codec.JobNotes;
import dev.holdfast.engine.store.JobSnapshot;
import dev.holdfast.postgres.db.SqlValues;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The columns of a job, listed once. The statements that insert, replace, end, retry and read whole
 * jobs are composed from this list, so that none of them forgets a column.
 *
 * <p>Columns that only matter while a job is live, such as the number of its claim call, are not
 * listed: the statements that use them name them.
 */
public final class JobColumns {

  /** The columns that an enqueue sets to a text. They stay the same unless a job is replaced. */
  public enum Given {
    QUEUE,
    TASK,
    PAYLOAD,
    PAYLOAD_REF,
    POLICY,
    TAGS,
    UNIQUE_KEY,
    LEDGER_KEY,
    STACK,
    SOURCE,
    PARENT,
    RUN_ID,
    STEP,
    ITEM;

    String column() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the value from a row {@code u} of texts. */
    private String value() {
      String type =
          switch (this) {
            case TAGS -> "::text[]";
            case PARENT, RUN_ID, PAYLOAD_REF -> "::uuid";
            case STEP -> "::smallint";
            case ITEM -> "::integer";
            case QUEUE, TASK, PAYLOAD, POLICY, UNIQUE_KEY, LEDGER_KEY, STACK, SOURCE -> "";
          };
      return "u.%s%s".formatted(column(), type);
    }

    /** Returns whether a replacement changes it: it keeps the task and the key it was found by. */
    private boolean isReplaced() {
      return this != TASK && this != UNIQUE_KEY && this != LEDGER_KEY;
    }
  }

  /** What a job keeps when it is retried from the dead-letter queue, in addition to the given. */
  private static final List<String> LASTING =
      List.of("id", "token", "created_at", "priority", "failures", "notes");

  /** What starts over when a job is retried from the dead-letter queue. */
  private static final List<String> RUN =
      List.of("run_at", "started_at", "start_by", "attempt", "cancel_requested", "crashes");

  private static final List<String> GIVEN =
      Arrays.stream(Given.values()).map(Given::column).toList();

  /** All columns that a job keeps when it ends. */
  private static final List<String> KEPT =
      Stream.of(LASTING, RUN, GIVEN).flatMap(List::stream).toList();

  /** What history does not need: it has one column for both keys, and its jobs do not run again. */
  private static final Set<String> NOT_IN_HISTORY = Set.of("policy", "ledger_key");

  /** What a {@link Job} does not show. */
  private static final Set<String> NOT_READ =
      Set.of("policy", "ledger_key", "crashes", "payload_ref");

  private static final Map<String, String> OF_JOB =
      Map.of(
          "payload", payload("j"),
          "result", "null::text",
          "unique_key", "coalesce(j.unique_key, j.ledger_key)",
          "node", "(select n.id from ${schema}.node n where n.incarnation = j.incarnation)",
          "finished_at", "null::timestamptz",
          "failures", "j.failures::text");

  /**
   * A result past its retention is not returned, even if it has not been deleted yet. The output of
   * a step is with its run, and is found there by run_result_pkey.
   */
  private static final Map<String, String> OF_HISTORY =
      Map.of(
          "payload",
          payload("h"),
          "result",
          """
          case when h.run_id is not null then (
                 select s.output from ${schema}.run_result s
                 where s.run_id = h.run_id and s.step = h.step and s.item = h.item
                   and s.job_id = h.id)
               when h.result_until <= now() then null
               else h.result end\
          """,
          "failures",
          "h.failures::text");

  private static final Map<String, String> OF_DEAD_LETTER =
      Map.of(
          "payload", payload("d"),
          "state", "'FAILED'",
          "result", "null",
          "unique_key", "coalesce(d.unique_key, d.ledger_key)",
          "failures", "d.failures::text");

  private JobColumns() {}

  /**
   * Returns the expression for the payload of a row. A large one of a step is with its run, and is
   * found there by run_payload_pkey.
   */
  public static String payload(String table) {
    return """
    case when ${table}.payload_ref is null then ${table}.payload
         else (select p.body from ${schema}.run_payload p
               where p.run_id = ${table}.run_id and p.id = ${table}.payload_ref) end\
    """
        .replace("${table}", table);
  }

  /**
   * Completes a statement that reads jobs: {@code live}, {@code history} and {@code dead} are the
   * columns for {@link #read} from {@code job j}, {@code job_history h} and {@code dead_letter d}.
   */
  public static String columns(String statement) {
    return statement
        .replace("${live}", columns("j", OF_JOB))
        .replace("${history}", columns("h", OF_HISTORY))
        .replace("${dead}", columns("d", OF_DEAD_LETTER));
  }

  private static String columns(String table, Map<String, String> special) {
    return list(
        Stream.concat(
            KEPT.stream().filter(column -> !NOT_READ.contains(column)),
            Stream.of("state", "node", "result", "finished_at")),
        column -> special.getOrDefault(column, table + "." + column) + " as " + column);
  }

  public static Job read(ResultSet row) throws SQLException {
    JobNotes notes = JobNotes.read(row.getString("notes"));
    UUID parent = row.getObject("parent", UUID.class);
    return new JobSnapshot(
        new JobId(row.getObject("id", UUID.class)),
        row.getString("task"),
        row.getString("queue"),
        JobState.valueOf(row.getString("state")),
        row.getInt("priority"),
        row.getString("payload"),
        row.getString("result"),
        SqlValues.strings(row, row.findColumn("tags")),
        row.getString("unique_key"),
        row.getInt("attempt"),
        row.getLong("token"),
        row.getString("node"),
        row.getString("stack"),
        row.getString("source"),
        parent == null ? null : new JobId(parent),
        notes.progress(),
        notes.log(),
        row.getBoolean("cancel_requested"),
        SqlValues.instant(row, row.findColumn("created_at")),
        SqlValues.instant(row, row.findColumn("run_at")),
        SqlValues.instantOrNull(row, row.findColumn("start_by")),
        SqlValues.instantOrNull(row, row.findColumn("started_at")),
        SqlValues.instantOrNull(row, row.findColumn("finished_at")),
        FailureJson.read(row.getString("failures")),
        row.getObject("run_id", UUID.class));
  }

  /**
   * Completes a statement that inserts or replaces jobs from rows {@code u}: {@code given} are the
   * names of the given columns, {@code values} their values, {@code arrays} their parameters for
   * {@code unnest}, in the order of {@link Given}, and {@code replaced} assigns those that a
   * replacement changes.
   */
  public static String fromGiven(String statement) {
    Stream<Given> replaced = Arrays.stream(Given.values()).filter(Given::isReplaced);
    return given(statement)
        .replace("${values}", list(Arrays.stream(Given.values()), Given::value))
        .replace("${arrays}", list(GIVEN.stream(), column -> "?::text[]"))
        .replace("${replaced}", list(replaced, given -> given.column() + " = " + given.value()));
  }

  /**
   * Completes a statement that moves jobs back from the dead-letter queue: {@code lasting} and
   * {@code given} are the columns that they keep, {@code kept} the values of the former. A token
   * from before a restore is raised to those that are issued now.
   */
  public static String fromDeadLetter(String statement) {
    Map<String, String> raised =
        Map.of("token", "greatest(token, (select first_token from ${schema}.token_epoch))");
    return given(statement)
        .replace("${lasting}", list(LASTING.stream(), column -> column))
        .replace("${kept}", list(LASTING.stream(), column -> raised.getOrDefault(column, column)));
  }

  private static String given(String statement) {
    return statement.replace("${given}", list(GIVEN.stream(), column -> column));
  }

  /**
   * Completes a statement that moves the rows of {@code gone} to history: {@code names} are the
   * columns of history, {@code values} those of the rows.
   */
  static String toHistory(String statement) {
    List<String> names = KEPT.stream().filter(column -> !NOT_IN_HISTORY.contains(column)).toList();
    Map<String, String> special = Map.of("unique_key", "coalesce(unique_key, ledger_key)");
    return statement
        .replace("${names}", list(names.stream(), column -> column))
        .replace("${values}", list(names.stream(), column -> special.getOrDefault(column, column)));
  }

  /**
   * Completes a statement that copies jobs from history to the dead-letter queue: {@code names} are
   * the columns of both except for the id and the key, which they do not get back.
   */
  public static String fromHistory(String statement) {
    List<String> names =
        KEPT.stream()
            .filter(column -> !NOT_IN_HISTORY.contains(column))
            .filter(column -> !column.equals("id") && !column.equals("unique_key"))
            .toList();
    return statement.replace("${names}", list(names.stream(), column -> column));
  }

  /** Returns all columns that a job keeps when it ends. */
  static String kept() {
    return list(KEPT.stream(), column -> column);
  }

  /** Returns the columns that a row of {@code job j} keeps when it ends, except its failures. */
  static String keptButFailures() {
    return list(
        KEPT.stream().filter(column -> !column.equals("failures")), column -> "j." + column);
  }

  private static <T> String list(Stream<T> columns, Function<T, String> text) {
    return columns.map(text).collect(joining(", "));
  }
}
