package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.api.Counts;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.QueueStatus;
import dev.holdfast.engine.store.JobQueries;
import dev.holdfast.engine.store.QueueStore.Depth;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.query.PgJobQueries;
import dev.holdfast.postgres.rule.PgQueueStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Counting reads a bounded number of jobs, however long the queues are. */
class BoundedCountTest {
  private static final int MOST = 500;

  private PostgresFixture fixture;

  @BeforeEach
  void open() {
    fixture = new PostgresFixture();
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private void jobs(String queue, String task, String state, int count) {
    fixture.execute(
        """
        insert into holdfast.job (id, created_at, run_at, rank, priority, state, queue, task)
        select gen_random_uuid(), now(), now() - interval '1 hour', now() - n * interval '1 second',
               4, '%s', '%s', '%s'
        from generate_series(1, %d) n
        """
            .formatted(state, queue, task, count));
  }

  @Test
  void countingStopsAtItsBoundAndReportsThat() {
    jobs("long", "a::b", "READY", MOST + 1);
    jobs("exact", "a::b", "READY", MOST);
    jobs("two", "a::b", "READY", MOST);
    jobs("two", "a::c", "READY", 1);
    jobs("short", "a::b", "READY", 2);
    fixture.execute("update holdfast.job set stack = 'blue' where queue = 'short'");
    jobs("later", "a::b", "SCHEDULED", MOST + 7);
    jobs("busy", "a::b", "RUNNING", 3);
    List<QueueStatus> queues = new PgQueueStore(own(), MOST).list();

    assertThat(queues)
        .extracting(QueueStatus::name, QueueStatus::ready, QueueStatus::moreReady)
        .contains(
            org.assertj.core.api.Assertions.tuple("long", (long) MOST, true),
            org.assertj.core.api.Assertions.tuple("exact", (long) MOST, false),
            org.assertj.core.api.Assertions.tuple("two", (long) MOST, true),
            org.assertj.core.api.Assertions.tuple("short", 2L, false));
    assertThat(queues)
        .filteredOn(queue -> queue.name().equals("later"))
        .singleElement()
        .satisfies(queue -> {
          assertThat(queue.scheduled()).isEqualTo(MOST);
          assertThat(queue.moreScheduled()).isTrue();
          assertThat(queue.moreHeld()).isFalse();
        });
    assertThat(queues)
        .filteredOn(queue -> queue.name().equals("busy"))
        .singleElement()
        .satisfies(queue -> assertThat(queue.held()).isEqualTo(3));
  }

  @Test
  void longQueuesAreMeasuredWithoutReadingAllOfThem() {
    jobs("long", "a::b", "READY", 20_000);
    jobs("long", "a::c", "READY", 20_000);
    jobs("long", "a::b", "SCHEDULED", 20_000);
    fixture.execute("analyze holdfast.job");
    String before = fixture.ask(READ);
    String scans = fixture.ask(SCANS);
    try (HikariDataSource pool = pool()) {
      PgQueueStore queues = new PgQueueStore(Database.own(pool, "holdfast"), MOST);

      assertThat(queues.list())
          .singleElement()
          .satisfies(queue -> {
            assertThat(queue.ready()).isEqualTo(MOST);
            assertThat(queue.moreReady()).isTrue();
          });
      assertThat(queues.sample(Set.of("long"), Duration.ZERO).orElseThrow().depths().get("long"))
          .extracting(Depth::ready)
          .isEqualTo((long) MOST);
    }
    await()
        .atMost(Duration.ofSeconds(20))
        .until(() ->
            fixture
                .ask(
                    "select count(*) from pg_stat_activity where application_name = 'external' and"
                        + " datname = current_database()")
                .equals("0"));

    // Both tasks and the scheduled jobs, twice, and once more for tasks that no node knows.
    long read = Long.parseLong(fixture.ask(READ)) - Long.parseLong(before);
    assertThat(read).isBetween(2L * MOST, 9L * MOST);
    assertThat(fixture.ask(SCANS)).isEqualTo(scans);
  }

  @Test
  void jobsAreCountedWithoutReadingAllOfThem() {
    jobs("long", "a::b", "READY", 20_000);
    jobs("other", "a::c", "READY", 20_000);
    jobs("long", "a::b", "SCHEDULED", 20_000);
    fixture.execute("analyze holdfast.job");

    for (JobFilter filter :
        List.of(
            JobFilter.all(),
            JobFilter.all().queue("long"),
            JobFilter.all().task("a::b"),
            JobFilter.all().createdAfter(Instant.EPOCH))) {
      long read =
          entriesRead(queries -> {
            Counts<JobState> counts = queries.count(filter, MOST);
            assertThat(counts.of(JobState.SCHEDULED)).isPositive();
            assertThat(counts.more()).contains(JobState.READY, JobState.SCHEDULED);
          });
      assertThat(read).as("%s", filter).isBetween((long) MOST, 6L * MOST);
    }
    assertThat(
            entriesRead(queries ->
                assertThat(
                        queries
                            .count(JobFilter.all().task("none").state(JobState.READY), MOST)
                            .byState())
                    .isEmpty()))
        .isLessThan(MOST);
  }

  @Test
  void rareJobsAreListedWithoutReadingTheOthers() {
    jobs("long", "a::b", "READY", 20_000);
    jobs("rare", "a::c", "READY", 3);
    fixture.execute("analyze holdfast.job");

    for (JobFilter filter :
        List.of(
            JobFilter.all().queue("rare"),
            JobFilter.all().queue("rare").state(JobState.READY),
            JobFilter.all().queue("rare").task("a::c"))) {
      assertThat(
              entriesRead(queries ->
                  assertThat(queries.list(filter, null, MOST)).as("%s", filter).hasSize(3)))
          .isLessThan(MOST);
    }
  }

  /** Returns a pool with the planner settings of the store's own connections. */
  private HikariDataSource pool() {
    HikariDataSource pool = fixture.foreignPool(1);
    pool.addDataSourceProperty(
        "options", "-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off");
    return pool;
  }

  private long entriesRead(Consumer<JobQueries> query) {
    long before = Long.parseLong(fixture.ask(READ));
    String scans = fixture.ask(SCANS);
    try (HikariDataSource pool = pool()) {
      query.accept(new PgJobQueries(Database.own(pool, "holdfast")));
    }
    await()
        .atMost(Duration.ofSeconds(20))
        .until(() ->
            fixture
                .ask(
                    "select count(*) from pg_stat_activity where application_name = 'external' and"
                        + " datname = current_database()")
                .equals("0"));
    assertThat(fixture.ask(SCANS)).isEqualTo(scans);
    return Long.parseLong(fixture.ask(READ)) - before;
  }

  private Database own() {
    return Database.own(new Connections(fixture.settings().build(), "test").single(), "holdfast");
  }

  private static final String READ =
      "select sum(coalesce(idx_tup_read, 0)) from pg_stat_user_indexes where relname = 'job'";

  private static final String SCANS =
      "select coalesce(seq_scan, 0) from pg_stat_user_tables where relname = 'job'";
}
