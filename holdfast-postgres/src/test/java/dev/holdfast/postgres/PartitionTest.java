package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobState;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.engine.store.Upkeep.Report;
import dev.holdfast.engine.store.Upkeep.Retention;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
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
  void tidyingMakesWhatIsMissing() {
    fixture.execute("drop table holdfast." + name(today.plusDays(2)));

    tidy();

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
  void tidyingDropsWhatIsPastItsTimeAndNothingElse() {
    make(today.minusDays(11));
    make(today.minusDays(10));

    assertThat(tidy().partitionsDropped()).isEqualTo(1);

    assertThat(exists(today.minusDays(11))).isFalse();
    assertThat(exists(today.minusDays(10))).isTrue();
    assertThat(tidy().partitionsDropped()).isZero();
  }

  @Test
  void aPartitionThatSomebodyReadsIsLeftForTheNextRound() throws Exception {
    make(today.minusDays(20));
    try (Connection reader = fixture.database().connect();
        Statement statement = reader.createStatement()) {
      reader.setAutoCommit(false);
      statement.execute("select * from holdfast.job_history");

      assertThat(tidy().partitionsDropped()).isZero();
      endOne();
      reader.rollback();
    }

    assertThat(tidy().partitionsDropped()).isEqualTo(1);
  }

  @Test
  void aDayThatHasNoPartitionIsCaughtByTheDefaultOneAndDoesNotDisturbTheNextDays() {
    fixture.execute("drop table holdfast." + name(today));
    fixture.execute("drop table holdfast." + name(today.plusDays(1)));
    endOne();

    tidy();

    assertThat(fixture.ask("select count(*) from holdfast.job_history_default")).isEqualTo("1");
    assertThat(exists(today)).isFalse();
    assertThat(exists(today.plusDays(1))).isTrue();
    assertThat(fixture.store().lookup().list(JobFilter.state(JobState.CANCELLED), null, 10))
        .hasSize(1);
  }

  @Test
  void moreThanOneBatchIsThrownAwayInOneRound() {
    fixture.execute(
        """
        insert into holdfast.dead_letter
          (id, token, created_at, run_at, finished_at, attempt, priority, cancel_requested, queue, task)
        select gen_random_uuid(), 1, now(), now(), now() - interval '40 days', 1, 4, false, 'q', 't'
        from generate_series(1, 1500)
        """);

    Report report = tidy();

    assertThat(report.deadLettersPurged()).isEqualTo(1500);
    assertThat(report.more()).isFalse();
  }

  @Test
  void countsOfDaysThatAreOverBecomeOneRow() {
    endOne();
    endOne();
    fixture.passTime(Duration.ofDays(3));
    fixture.execute("update holdfast.tally set shard = gen_random_uuid()");
    fixture.execute(
        "insert into holdfast.tally select day, queue, task, state, gen_random_uuid(), 40 from"
            + " holdfast.tally");

    tidy();

    assertThat(fixture.ask("select count(*) from holdfast.tally")).isEqualTo("1");
    assertThat(fixture.store().lookup().count(JobFilter.ALL))
        .containsEntry(JobState.CANCELLED, 42L);
  }

  private Report tidy() {
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
