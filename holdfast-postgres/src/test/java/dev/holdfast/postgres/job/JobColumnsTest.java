package dev.holdfast.postgres.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.RetryResult;
import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.job.UniqueKey.OnConflict;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.engine.store.Admission;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.LargePayload;
import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.Outcomes.Result;
import dev.holdfast.engine.store.StepRef;
import dev.holdfast.postgres.PostgresFixture;
import dev.holdfast.tck.contract.JobDraft;
import dev.holdfast.tck.contract.Worker;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Reads the columns from the tables: a column that a migration adds and a statement forgets fails a
 * test here unless it is in one of these lists.
 */
class JobColumnsTest {
  private static final String STACK = "blue";

  /** Columns that only matter while a job is live. */
  private static final Set<String> LIVE_ONLY =
      Set.of(
          "incarnation",
          "rank",
          "claim_no",
          "done_token",
          "capped",
          "state",
          "release_requested",
          "task_capped",
          "suspicion",
          "fencings",
          "cap_no",
          "task_cap_no",
          "held_from",
          "waits_for");

  /**
   * Columns that history does not keep: its jobs do not run again, and it has one column for both
   * keys.
   */
  private static final Set<String> NOT_IN_HISTORY = Set.of("policy", "ledger_key");

  /** Columns that are reset when a job is retried from the dead-letter queue. */
  private static final Set<String> STARTS_OVER =
      Set.of("run_at", "started_at", "start_by", "attempt", "cancel_requested", "crashes");

  /** Columns that an ordinary retry sets. */
  private static final Set<String> SET_BY_RETRY = Set.of("run_at", "start_by", "failures");

  /** Columns that name the step of a run. Such a job is not retried by itself. */
  private static final Set<String> OF_STEP = Set.of("run_id", "step", "item", "payload_ref");

  /** Columns that attempts set, and not the enqueue. */
  private static final Set<String> NOT_GIVEN = Set.of("started_at", "failures", "crashes", "notes");

  /** Columns that a replaced job keeps, and times, which depend on the time of the call. */
  private static final Set<String> NOT_REPLACED =
      Set.of("id", "created_at", "unique_key", "ledger_key", "run_at", "start_by");

  private static PostgresFixture fixture;

  @BeforeAll
  static void open() {
    fixture = new PostgresFixture();
  }

  @AfterAll
  static void close() {
    fixture.close();
  }

  @BeforeEach
  void empty() {
    fixture.emptied();
  }

  @Test
  void everyColumnOfAJobIsEitherLiveOnlyOrKept() {
    assertThat(without(columns("dead_letter").keySet(), Set.of("finished_at", "node")))
        .isEqualTo(kept());
    assertThat(
            without(
                columns("job_history").keySet(),
                Set.of("finished_at", "node", "state", "result", "result_until")))
        .isEqualTo(without(kept(), NOT_IN_HISTORY));
  }

  @Test
  void everyKeptColumnIsCopiedByARetryToTheDeadLetterQueueAndBackAndToHistory() {
    Worker worker =
        Worker.joinStacks(
            fixture.store(), "node-1", Set.of(STACK), JobDraft.QUEUE, JobDraft.TASK, Modes.FULL);
    JobId id = enqueue(full());

    ClaimedJob first = worker.claimOne();
    filled(id);
    // Otherwise it would be cancelled, or lost because its run does not exist.
    fixture.execute("update holdfast.job set cancel_requested = false, run_id = null");
    Map<String, @Nullable String> started = row("job", id);
    assertThat(worker.retryIn(first, Duration.ZERO)).isEqualTo(Result.WRITTEN);
    Set<String> retried = without(kept(), SET_BY_RETRY);
    assertThat(some(row("job", id), retried)).isEqualTo(some(started, retried));

    ClaimedJob second = worker.claimOne();
    Map<String, @Nullable String> running = filled(id);
    worker.failPermanently(second);
    Map<String, @Nullable String> dead = row("dead_letter", id);

    assertThat(some(dead, without(kept(), Set.of("failures"))))
        .isEqualTo(some(running, without(kept(), Set.of("failures"))));

    fixture.execute("update holdfast.dead_letter set run_id = null");
    assertThat(fixture.store().control().retry(id)).isEqualTo(RetryResult.READY);
    Set<String> lasting = without(kept(), union(STARTS_OVER, Set.of("run_id")));
    assertThat(some(row("job", id), lasting)).isEqualTo(some(dead, lasting));

    ClaimedJob third = worker.claimOne();
    Map<String, @Nullable String> again = filled(id);
    worker.succeed(third);

    Set<String> inHistory = without(kept(), NOT_IN_HISTORY);
    assertThat(some(row("job_history", id), inHistory)).isEqualTo(some(again, inHistory));
  }

  @Test
  void everyGivenColumnIsInserted() {
    Map<String, @Nullable String> active =
        row("job", enqueue(full().unique(UniqueKey.whileActive("k"))));
    Map<String, @Nullable String> windowed =
        row("job", enqueue(full().unique(UniqueKey.within("k", Duration.ofHours(1)))));

    assertThat(some(active, without(kept(), union(NOT_GIVEN, Set.of("ledger_key", "payload_ref")))))
        .doesNotContainValue(null);
    assertThat(
            some(windowed, without(kept(), union(NOT_GIVEN, Set.of("unique_key", "payload_ref")))))
        .doesNotContainValue(null);
    JobId large = enqueue(full().payload("p".repeat(LargePayload.LONGEST_IN_JOB + 1)));
    assertThat(row("job", large).get("payload_ref")).isNotNull();
    assertThat(row("job", large).get("payload")).isNull();
  }

  @Test
  void everyGivenColumnIsReplaced() {
    UniqueKey key = UniqueKey.whileActive("k").onConflict(OnConflict.REPLACE);
    JobId replaced = enqueue(new JobDraft().unique(key));
    JobId fresh = enqueue(full());

    assertThat(enqueue(full().unique(key))).isEqualTo(replaced);

    Set<String> given = without(kept(), union(union(NOT_GIVEN, NOT_REPLACED), OF_STEP));
    assertThat(some(row("job", replaced), given))
        .isEqualTo(some(row("job", fresh), given))
        .doesNotContainValue(null);
    assertThat(row("job", replaced).get("start_by")).isNotNull();
  }

  /** Returns a job with every field that an enqueue can set, except a key. */
  private static JobDraft full() {
    return new JobDraft()
        .priority(7)
        .payload("p")
        .policy("{}")
        .tags("a", "b")
        .startWithin(Duration.ofHours(1))
        .stamp(STACK, "node-9", new JobId(new UUID(0, 7)))
        .step(new StepRef(new RunId(UUID.randomUUID()), 3, 5));
  }

  private static JobId enqueue(JobDraft draft) {
    List<Admission> admissions = fixture.store().intake().enqueue(List.of(draft.build()));
    return admissions.getFirst().id();
  }

  private static Set<String> kept() {
    return without(columns("job").keySet(), LIVE_ONLY);
  }

  /**
   * Gives every kept column of a job a value that is neither null nor a usual default, so that a
   * statement that forgets it is noticed, and returns the row.
   */
  private static Map<String, @Nullable String> filled(JobId id) {
    Map<String, String> types = columns("job");
    Map<String, @Nullable String> before = row("job", id);
    for (String column : kept()) {
      String value = before.get(column);
      if (value == null || value.equals("false")) {
        fixture.execute(
            "update holdfast.job set %s = %s where id = '%s'"
                .formatted(column, sample(types.get(column)), id));
      }
    }
    Map<String, @Nullable String> after = row("job", id);
    assertThat(some(after, kept())).doesNotContainValue(null).doesNotContainValue("false");
    return after;
  }

  private static String sample(@Nullable String type) {
    return switch (String.valueOf(type)) {
      case "text" -> "'some text'";
      case "smallint", "integer", "bigint" -> "3";
      case "boolean" -> "true";
      case "uuid" -> "gen_random_uuid()";
      case "timestamp with time zone" -> "now() - interval '1 hour'";
      case "jsonb" -> "'[]'";
      case "ARRAY" -> "array['some text']";
      default -> throw new AssertionError("Add a sample value of type " + type + ".");
    };
  }

  /** Returns the types of the columns of a table, by name. */
  private static Map<String, String> columns(String table) {
    Map<String, @Nullable String> types =
        pairs(
            """
            select column_name, data_type from information_schema.columns
            where table_schema = 'holdfast' and table_name = ?
            """,
            table);
    assertThat(types).isNotEmpty();
    return new TreeMap<>(types);
  }

  private static Map<String, @Nullable String> row(String table, JobId id) {
    Map<String, @Nullable String> row =
        pairs(
            "select f.key, f.value from holdfast.%s t, jsonb_each_text(to_jsonb(t)) f where t.id = ?::uuid"
                .formatted(table),
            id.toString());
    assertThat(row).as("the row of the job in " + table).isNotEmpty();
    return row;
  }

  private static Map<String, @Nullable String> pairs(String sql, String parameter) {
    try (Connection connection = fixture.database().connect();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, parameter);
      Map<String, @Nullable String> pairs = new TreeMap<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          pairs.put(rows.getString(1), rows.getString(2));
        }
      }
      return pairs;
    } catch (SQLException failure) {
      throw new IllegalStateException(failure);
    }
  }

  private static Map<String, @Nullable String> some(
      Map<String, @Nullable String> row, Set<String> columns) {
    Map<String, @Nullable String> some = new TreeMap<>();
    columns.forEach(column -> some.put(column, row.get(column)));
    return some;
  }

  private static Set<String> without(Set<String> columns, Set<String> others) {
    Set<String> rest = new TreeSet<>(columns);
    rest.removeAll(others);
    return rest;
  }

  private static Set<String> union(Set<String> some, Set<String> others) {
    Set<String> all = new TreeSet<>(some);
    all.addAll(others);
    return all;
  }
}
