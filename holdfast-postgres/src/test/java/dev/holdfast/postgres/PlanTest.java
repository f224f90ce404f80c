package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.testkit.contract.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
  void claimsStartsAndFinishesGoByIndex() {
    fixture.execute("vacuum analyze holdfast.job");
    String before = sequentialScans();
    try (PostgresStore store = PostgresStore.connect(fixture.settings().name("planned").build())) {
      Worker one = Worker.join(store, "node-1", Drafts.QUEUE, Drafts.TASK);
      Worker several = Worker.join(store, "node-2", Drafts.QUEUE, Drafts.TASK, "mail::b");
      // The server settles for a plan after some executions: here it would be a bad one.
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
    }
    // Sessions report what they did when they end.
    await()
        .atMost(Duration.ofSeconds(20))
        .until(() ->
            fixture
                .ask("select count(*) from pg_stat_activity where application_name = 'planned'")
                .equals("0"));

    assertThat(sequentialScans()).isEqualTo(before);
    assertThat(
            fixture.ask(
                "select idx_scan > 0 from pg_stat_user_indexes where indexrelname = 'job_ready'"))
        .isEqualTo("t");
  }

  private static void round(PostgresStore store, Worker worker, int size) {
    List<NewJob> jobs = Stream.generate(Drafts::job).limit(2L * size).toList();
    store.intake().enqueue(jobs);
    List<ClaimedJob> claimed = new ArrayList<>(worker.claim(size, size, null));
    assertThat(claimed).hasSize(2 * size);
    for (ClaimedJob job : claimed) {
      worker.start(job.held());
    }
    worker.finishAll(
        claimed.stream().map(job -> new Finish.Succeeded(job.held(), null, null)).toList());
  }

  private String sequentialScans() {
    return fixture.ask(
        "select coalesce(seq_scan, 0) from pg_stat_user_tables where relname = 'job'");
  }
}
