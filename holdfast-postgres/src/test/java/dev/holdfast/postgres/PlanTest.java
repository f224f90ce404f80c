package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.job.JobFilter;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.engine.store.Stacks;
import dev.holdfast.tck.contract.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Hot statements never read the whole table, not even by plans that were cached while it was empty.
 */
class PlanTest {
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
  void claimsStartsAndFinishesUseIndexes() {
    fixture.execute("vacuum analyze holdfast.job");
    String before = sequentialScans();
    try (PostgresStore store = PostgresStore.connect(fixture.settings().name("planned").build())) {
      Worker one = Worker.join(store, "node-1", Drafts.QUEUE, Drafts.TASK);
      Worker several = Worker.join(store, "node-2", Drafts.QUEUE, Drafts.TASK, "mail::b");
      // The server chooses a generic plan after some executions. Here that plan would be bad.
      for (int i = 0; i < 12; i++) {
        round(store, one, 1);
        round(store, several, 1);
      }
      fixture.execute(
          """
          insert into holdfast.job (id, created_at, run_at, rank, priority, state, queue, task)
          select gen_random_uuid(), now(), now(), now() - interval '1 day', 4, 'READY', 'mail',
                 'foreign::task'
          from generate_series(1, 20000)
          """);
      round(store, one, 50);
      round(store, several, 50);
      assertThat(sessions()).isPositive();
    }
    awaitReports();

    assertThat(sequentialScans()).isEqualTo(before);
    assertThat(
            fixture.ask(
                "select idx_scan > 0 from pg_stat_user_indexes where indexrelname = 'job_ready'"))
        .isEqualTo("t");
  }

  @Test
  void stacksWithJobsAreFoundWithoutReadingTheirJobs() {
    fixture.execute(
        """
        insert into holdfast.job (id, created_at, run_at, rank, priority, state, queue, task, stack)
        select gen_random_uuid(), now(), now(), now() - interval '1 day', 4, 'READY', 'mail',
               'mail::send', case when n <= 3 then 'rare' else 'common' end
        from generate_series(1, 20000) n
        """);
    fixture.execute("vacuum analyze holdfast.job");
    String scans = sequentialScans();
    long before = stackEntriesRead();
    try (PostgresStore store = PostgresStore.connect(fixture.settings().name("planned").build())) {
      Worker all =
          Worker.joinStacks(store, "all", Stacks.ALL, Drafts.QUEUE, Drafts.TASK, Modes.FULL);
      assertThat(all.claim(2)).hasSize(2);
      assertThat(
              store
                  .claims()
                  .queuesWithReadyJobs(Set.of(Drafts.QUEUE), Set.of(Drafts.TASK), Stacks.ALL))
          .hasSize(1);
      assertThat(sessions()).isPositive();
    }
    awaitReports();

    assertThat(sequentialScans()).isEqualTo(scans);
    assertThat(stackEntriesRead() - before).isBetween(4L, 100L);
  }

  private long stackEntriesRead() {
    return Long.parseLong(
        fixture.ask(
            "select idx_tup_read from pg_stat_user_indexes where indexrelname ="
                + " 'job_ready_stack'"));
  }

  @Test
  void endedJobsOfARareQueueAreListedWithoutReadingTheRest() {
    end("default", 20_000);
    end("vip", 3);
    fixture.execute("vacuum analyze holdfast.job_history");
    long before = rowsReadOfHistory();
    try (PostgresStore store = PostgresStore.connect(fixture.settings().name("planned").build())) {
      assertThat(store.queries().list(JobFilter.all().queue("vip"), null, 50)).hasSize(3);
      assertThat(store.queries().list(JobFilter.all().task("mail::send"), null, 50)).hasSize(50);
      assertThat(sessions()).isPositive();
    }
    awaitReports();

    assertThat(rowsReadOfHistory() - before).isBetween(53L, 200L);
  }

  private void end(String queue, int jobs) {
    fixture.execute(
        """
        with gone as (
          insert into holdfast.job_history (id, token, created_at, run_at, finished_at, attempt,
            priority, cancel_requested, state, queue, task)
          select gen_random_uuid(), 1, now(), now(), now(), 1, 4, false, 'SUCCEEDED', '%s',
                 'mail::send'
          from generate_series(1, %d)
          returning queue, task, state
        )
        insert into holdfast.tally (day, queue, task, state, shard, count)
        select current_date, queue, task, state, gen_random_uuid(), count(*)
        from gone group by queue, task, state
        """
            .formatted(queue, jobs));
  }

  private long rowsReadOfHistory() {
    return Long.parseLong(
        fixture.ask(
            "select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::bigint from"
                + " pg_stat_user_tables where relname like 'job_history%'"));
  }

  private static void round(PostgresStore store, Worker worker, int size) {
    List<NewJob> jobs = Stream.generate(Drafts::job).limit(2L * size).toList();
    store.intake().enqueue(jobs);
    List<ClaimedJob> claimed = new ArrayList<>(worker.claim(size, size, null));
    assertThat(claimed).hasSize(2 * size);
    for (ClaimedJob job : claimed) {
      worker.start(job.claim());
    }
    worker.finishAll(
        claimed.stream().map(job -> new Finish.Succeeded(job.claim(), null, null)).toList());
  }

  /** Sessions report their statistics when they end. */
  private void awaitReports() {
    await().atMost(Duration.ofSeconds(20)).until(() -> sessions() == 0);
  }

  private int sessions() {
    return Integer.parseInt(
        fixture.ask(
            "select count(*) from pg_stat_activity where application_name like 'planned-%'"));
  }

  private String sequentialScans() {
    return fixture.ask(
        "select coalesce(seq_scan, 0) from pg_stat_user_tables where relname = 'job'");
  }
}
