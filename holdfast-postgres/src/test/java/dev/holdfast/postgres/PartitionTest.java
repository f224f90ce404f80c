package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.StoreException.Outcome;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.engine.store.Outcomes.Result;
import dev.holdfast.engine.store.Upkeep.Report;
import dev.holdfast.engine.store.Upkeep.Retention;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.schema.Partitions;
import dev.holdfast.tck.contract.Worker;
import java.sql.Connection;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The daily partitions of history. */
class PartitionTest {
  private static final Retention RETENTION =
      new Retention(Duration.ofDays(10), Duration.ofDays(30));

  private final LocalDate today = LocalDate.now(ZoneOffset.UTC);
  private PostgresFixture fixture;

  @BeforeEach
  void open() {
    fixture = new PostgresFixture();
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void aNewSchemaHasThePartitionsOfTodayAndTheNextDays() {
    for (int ahead = 0; ahead <= 3; ahead++) {
      assertThat(exists(today.plusDays(ahead))).isTrue();
    }
  }

  @Test
  void anEndedJobGoesIntoThePartitionOfItsDay() {
    endOne();

    assertThat(fixture.ask("select count(*) from holdfast." + name(today))).isEqualTo("1");
  }

  @Test
  void upkeepCreatesMissingPartitions() {
    fixture.execute("drop table holdfast." + name(today.plusDays(2)));

    runUpkeep();

    assertThat(exists(today.plusDays(2))).isTrue();
    assertThat(
            fixture.ask(
                "select count(*) from pg_indexes where tablename = '%s'"
                    .formatted(name(today.plusDays(2)))))
        .isEqualTo(
            fixture.ask(
                "select count(*) from pg_indexes where tablename = '%s'".formatted(name(today))));
  }

  @Test
  void upkeepDropsExpiredPartitionsOnly() {
    make(today.minusDays(11));
    make(today.minusDays(10));

    assertThat(runUpkeep().partitionsDropped()).isEqualTo(1);

    assertThat(exists(today.minusDays(11))).isFalse();
    assertThat(exists(today.minusDays(10))).isTrue();
    assertThat(runUpkeep().partitionsDropped()).isZero();
  }

  @Test
  void aPartitionThatIsBeingReadIsLeftForTheNextRound() throws Exception {
    make(today.minusDays(20));
    try (Connection reader = fixture.database().connect();
        Statement statement = reader.createStatement()) {
      reader.setAutoCommit(false);
      statement.execute("select * from holdfast.job_history");

      assertThat(runUpkeep().partitionsDropped()).isZero();
      endOne();
      reader.rollback();
    }

    assertThat(runUpkeep().partitionsDropped()).isEqualTo(1);
  }

  @Test
  void rowsOfADayWithoutAPartitionGoToTheDefaultPartition() {
    fixture.execute("drop table holdfast." + name(today));
    fixture.execute("drop table holdfast." + name(today.plusDays(1)));
    endOne();

    runUpkeep();

    assertThat(fixture.ask("select count(*) from holdfast.job_history_default")).isEqualTo("1");
    assertThat(exists(today)).isFalse();
    assertThat(exists(today.plusDays(1))).isTrue();
    assertThat(fixture.store().queries().list(JobFilter.all().state(JobState.CANCELLED), null, 10))
        .hasSize(1);
  }

  @Test
  void aFinishDuringTheCreationOfItsPartitionMayBeRepeated() throws Exception {
    fixture.execute("drop table holdfast." + name(today));
    Worker worker = Worker.join(fixture.store(), "node-1", Drafts.QUEUE, Drafts.TASK);
    fixture.store().intake().enqueue(List.of(Drafts.job()));
    ClaimedJob job = worker.claimOne();
    try (Connection maker = fixture.database().connect();
        Statement statement = maker.createStatement()) {
      maker.setAutoCommit(false);
      statement.execute(
          "create table holdfast.%1$s (like holdfast.job_history including defaults including constraints); alter table holdfast.job_history attach partition holdfast.%1$s for values from ('%2$s 00:00+00') to ('%3$s 00:00+00')"
              .formatted(name(today), today, today.plusDays(1)));
      CompletableFuture<Result> finish = CompletableFuture.supplyAsync(() -> worker.succeed(job));
      await()
          .until(() ->
              fixture
                  .ask(
                      "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and"
                          + " datname = current_database()")
                  .equals("1"));
      maker.commit();

      assertThatThrownBy(finish::join)
          .cause()
          .isInstanceOfSatisfying(
              StoreException.class,
              failure -> assertThat(failure.outcome()).isEqualTo(Outcome.RETRYABLE));
    }

    assertThat(worker.succeed(job)).isEqualTo(Result.WRITTEN);
    assertThat(fixture.ask("select count(*) from holdfast." + name(today))).isEqualTo("1");
  }

  @Test
  void connectingCreatesMissingPartitions() {
    fixture.execute("drop table holdfast." + name(today));

    PostgresStore.connect(fixture.settings().build()).close();

    assertThat(exists(today)).isTrue();
  }

  @Test
  void concurrentlyCreatedOrDroppedPartitionsAreTolerated() {
    fixture.execute("drop table holdfast." + name(today.plusDays(2)));
    make(today.minusDays(20));
    Database database =
        Database.own(new Connections(fixture.settings().build(), "test").single(), "holdfast");
    AtomicBoolean others = new AtomicBoolean();
    Partitions slow =
        new Partitions(
            database,
            handle -> {
              if (!others.getAndSet(true)) {
                make(today.plusDays(2));
                fixture.execute("drop table holdfast." + name(today.minusDays(20)));
              }
              return true;
            });

    assertThat(slow.tidy(RETENTION.history())).isZero();

    assertThat(exists(today.plusDays(2))).isTrue();
  }

  @Test
  void rowsThatCannotBeDeletedDoNotBlockTheRest() {
    make(today.minusDays(20));
    make(today.minusDays(19));
    fixture.execute(
        "create view public.mine as select * from holdfast." + name(today.minusDays(20)));
    fixture.execute(
        """
        create function public.object() returns trigger language plpgsql as
          'begin raise exception ''not this one''; end';
        create trigger object before delete on holdfast.dead_letter
          for each row execute function public.object()
        """);
    fixture.execute(
        """
        insert into holdfast.dead_letter
          (id, token, created_at, run_at, finished_at, attempt, priority, cancel_requested, queue, task)
        values (gen_random_uuid(), 1, now(), now(), now() - interval '40 days', 1, 4, false, 'q', 't');
        insert into holdfast.unique_ledger (task, key, job_id, expires_at)
        values ('t', 'k', gen_random_uuid(), now() - interval '1 day')
        """);

    assertThat(runUpkeep().partitionsDropped()).isEqualTo(1);

    assertThat(exists(today.minusDays(20))).isTrue();
    assertThat(exists(today.minusDays(19))).isFalse();
    assertThat(fixture.ask("select count(*) from holdfast.unique_ledger")).isEqualTo("0");
  }

  @Test
  void moreThanOneBatchIsDeletedInOneRound() {
    fixture.execute(
        """
        insert into holdfast.dead_letter
          (id, token, created_at, run_at, finished_at, attempt, priority, cancel_requested, queue, task)
        select gen_random_uuid(), 1, now(), now(), now() - interval '40 days', 1, 4, false, 'q', 't'
        from generate_series(1, 1500)
        """);

    Report report = runUpkeep();

    assertThat(report.deadLettersPurged()).isEqualTo(1500);
    assertThat(report.more()).isFalse();
  }

  @Test
  void countsOfPastDaysAreMergedIntoOneRow() {
    endOne();
    endOne();
    fixture.passTime(Duration.ofDays(3));
    fixture.execute("update holdfast.tally set shard = gen_random_uuid()");
    fixture.execute(
        "insert into holdfast.tally select day, queue, task, state, gen_random_uuid(), 40 from"
            + " holdfast.tally");

    runUpkeep();

    assertThat(fixture.ask("select count(*) from holdfast.tally")).isEqualTo("1");
    assertThat(fixture.store().queries().count(JobFilter.all()).byState())
        .containsEntry(JobState.CANCELLED, 42L);
  }

  /** More rows than the server can scan quickly. */
  private void fillDefaultPartition() {
    fixture.execute(
        """
        insert into holdfast.job_history_default
          (id, token, created_at, run_at, finished_at, attempt, priority, cancel_requested, state,
           queue, task, payload)
        select gen_random_uuid(), 1, now(), now(), now() - interval '5 days', 1, 4, false,
               'SUCCEEDED', 'q', 't', repeat(md5(n::text), 45)
        from generate_series(1, 8000) n
        """);
  }

  private String exclusions() {
    return fixture.ask(
        "select count(*) from pg_constraint where conname like 'job_history_default_without_%'");
  }

  @Test
  void aPartitionIsCreatedWithoutScanningALargeDefaultPartitionUnderALock() throws Exception {
    LocalDate day = today.plusDays(3);
    fixture.execute("drop table holdfast." + name(day));
    fillDefaultPartition();
    Database database =
        Database.own(new Connections(fixture.settings().build(), "test").single(), "holdfast");
    AtomicInteger transactions = new AtomicInteger();

    // Upkeep dies after it has added and validated the constraint, before it attaches the
    // partition.
    new Partitions(database, handle -> transactions.incrementAndGet() <= 2)
        .tidy(RETENTION.history());

    assertThat(transactions).hasValue(3);
    assertThat(exists(day)).isFalse();
    assertThat(exclusions()).isEqualTo("1");
    endOne();
    try (Connection connection = fixture.database().connect();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute("set local client_min_messages = debug1");
      statement.execute(
          "create table holdfast.%s (like holdfast.job_history including defaults including constraints)"
              .formatted(name(day)));
      statement.clearWarnings();
      statement.execute(
          "alter table holdfast.job_history attach partition holdfast.%s for values from ('%s 00:00+00') to ('%s 00:00+00')"
              .formatted(name(day), day, day.plusDays(1)));
      StringBuilder messages = new StringBuilder();
      for (SQLWarning said = statement.getWarnings(); said != null; said = said.getNextWarning()) {
        messages.append(said.getMessage()).append('\n');
      }
      assertThat(messages)
          .contains("default partition \"job_history_default\" is implied by existing constraints");
      connection.rollback();
    }

    runUpkeep();

    assertThat(exists(day)).isTrue();
    assertThat(exclusions()).isEqualTo("0");
  }

  @Test
  void aDayIsNotExcludedFromALargeDefaultPartitionOnceItHasStarted() {
    fixture.execute("drop table holdfast." + name(today));
    fixture.execute("drop table holdfast." + name(today.plusDays(1)));
    fillDefaultPartition();
    fixture.execute(
        "alter table holdfast.job_history_default add constraint job_history_default_without_%s check (finished_at < '%s 00:00+00') not valid"
            .formatted(DateTimeFormatter.BASIC_ISO_DATE.format(today.plusDays(1)), today));
    assertThatThrownBy(this::endOne)
        .isInstanceOfSatisfying(
            StoreException.class,
            failure -> assertThat(failure.outcome()).isEqualTo(Outcome.RETRYABLE));

    runUpkeep();

    assertThat(exclusions()).isEqualTo("0");
    assertThat(exists(today)).isFalse();
    assertThat(exists(today.plusDays(1))).isFalse();
    endOne();
  }

  @Test
  void upkeepNeverWaitsLongForALockOnTheDefaultPartition() throws Exception {
    fixture.execute("drop table holdfast." + name(today));
    fixture.execute("drop table holdfast." + name(today.plusDays(3)));
    fillDefaultPartition();
    try (Connection reader = fixture.database().connect();
        Statement statement = reader.createStatement()) {
      reader.setAutoCommit(false);
      statement.execute("select count(*) from holdfast.job_history_default");

      runUpkeep();

      // Upkeep does not queue for a lock that it cannot get, so that finishes do not queue behind
      // it.
      endOne();
      assertThat(exists(today.plusDays(3))).isFalse();
      reader.rollback();
    }

    runUpkeep();

    assertThat(exists(today.plusDays(3))).isTrue();
  }

  @Test
  void aNodeWithDefaultSettingsDropsExpiredPartitions() {
    make(today.minusDays(16));
    make(today.minusDays(14));
    fixture.execute(
        """
        insert into holdfast.dead_letter
          (id, token, created_at, run_at, finished_at, attempt, priority, cancel_requested, queue, task)
        select gen_random_uuid(), 1, now(), now(), now() - days * interval '1 day', 1, 4, false,
               'q', 't'
        from unnest(array[89, 91]) days
        """);

    try (HoldfastNode node =
        HoldfastNode.on(fixture.store())
            .handle(TaskType.of("test::task", String.class), (payload, context) -> null)
            .start()) {
      assertThat(node.isReady()).isTrue();
      await()
          .atMost(Duration.ofSeconds(20))
          .until(() ->
              !exists(today.minusDays(16))
                  && fixture.ask("select count(*) from holdfast.dead_letter").equals("1"));
    }
    assertThat(exists(today.minusDays(14))).isTrue();
  }

  private Report runUpkeep() {
    return fixture.store().upkeep().tidy(RETENTION);
  }

  private void endOne() {
    NewJob job = Drafts.job();
    fixture.store().intake().enqueue(List.of(job));
    fixture.store().control().cancel(job.id());
  }

  private void make(LocalDate day) {
    fixture.execute(
        "create table holdfast.%s partition of holdfast.job_history for values from ('%s 00:00+00') to ('%s 00:00+00')"
            .formatted(name(day), day, day.plusDays(1)));
  }

  private boolean exists(LocalDate day) {
    return fixture
        .ask("select to_regclass('holdfast.%s') is not null".formatted(name(day)))
        .equals("t");
  }

  private static String name(LocalDate day) {
    return "job_history_" + DateTimeFormatter.BASIC_ISO_DATE.format(day);
  }
}
