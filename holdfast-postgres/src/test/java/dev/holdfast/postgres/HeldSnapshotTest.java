package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.engine.store.TaskStore;
import dev.holdfast.tck.contract.Worker;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * While a transaction keeps an old snapshot, dead rows of finished jobs cannot be removed.
 * Statements must not read more and more of them.
 */
class HeldSnapshotTest {
  private static final int LIMIT = 3;
  private static final TaskStore.Rule RULE = new TaskStore.Rule(LIMIT, null);

  private final PostgresFixture fixture = new PostgresFixture();
  private Connection snapshot;
  private int stores;

  @BeforeEach
  void holdASnapshot() throws SQLException {
    snapshot = fixture.database().connect();
    snapshot.setAutoCommit(false);
    snapshot.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    try (Statement statement = snapshot.createStatement()) {
      statement.execute("select count(*) from holdfast.job");
    }
  }

  @AfterEach
  void close() throws SQLException {
    snapshot.close();
    fixture.close();
  }

  @Test
  void claimsFromALimitedQueueDoNotReadFinishedJobs() {
    fixture.store().queues().limit(Drafts.QUEUE, LIMIT);

    assertClaimsStayFlat("job_capped", worker -> worker.claim(1, 0, LIMIT));
  }

  @Test
  void claimsOfALimitedTaskDoNotReadFinishedJobs() {
    fixture.store().tasks().limit(Drafts.TASK, LIMIT);

    assertClaimsStayFlat("job_task_capped", worker -> worker.claimAlone(Drafts.TASK, 1, 0, RULE));
  }

  /**
   * One job stays claimed all the time, so that the oldest claimed job says nothing about the
   * others.
   */
  private void assertClaimsStayFlat(String index, Function<Worker, List<ClaimedJob>> claim) {
    int rounds = 400;
    long before = entriesRead(index);
    inSessionsThatEnd(store -> {
      store.intake().enqueue(jobs(rounds + 1));
      Worker worker = Worker.join(store, "node-1", Drafts.QUEUE, Drafts.TASK);
      assertThat(claim.apply(worker)).hasSize(1);
      for (int round = 0; round < rounds; round++) {
        List<ClaimedJob> claimed = claim.apply(worker);
        assertThat(claimed).hasSize(1);
        worker.succeed(claimed.getFirst());
      }
    });

    // The job that stays claimed, and the one that finished since the last claim.
    assertThat(entriesRead(index) - before).isLessThanOrEqualTo(4L * rounds);
  }

  @Test
  void finishesDoNotReadEarlierVersionsOfTheirCounts() {
    long few = blocksPerFinish(200);
    long many = blocksPerFinish(2_500);

    assertThat(many).isLessThanOrEqualTo(2 * few);
  }

  private long blocksPerFinish(int count) {
    long before = blocksOfTally();
    inSessionsThatEnd(store -> {
      store.intake().enqueue(jobs(count));
      Worker worker = Worker.join(store, "node-" + count, Drafts.QUEUE, Drafts.TASK);
      for (ClaimedJob job : worker.claim(count)) {
        worker.succeed(job);
      }
    });
    return (blocksOfTally() - before) / count;
  }

  private long blocksOfTally() {
    return Long.parseLong(
        fixture.ask(
            """
            select heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read
            from pg_statio_user_tables where relname = 'tally'
            """));
  }

  private long entriesRead(String index) {
    return Long.parseLong(
        fixture.ask(
            "select idx_tup_read from pg_stat_user_indexes where indexrelname = '%s'"
                .formatted(index)));
  }

  private static List<NewJob> jobs(int count) {
    return Stream.generate(Drafts::job).limit(count).toList();
  }

  /** Sessions report their statistics when they end. */
  private void inSessionsThatEnd(Consumer<PostgresStore> work) {
    String name = "snapshot" + ++stores;
    try (PostgresStore store = PostgresStore.connect(fixture.settings().name(name).build())) {
      work.accept(store);
    }
    await()
        .atMost(Duration.ofSeconds(20))
        .until(() ->
            fixture
                .ask(
                    "select count(*) from pg_stat_activity where application_name like '%s-%%'"
                        .formatted(name))
                .equals("0"));
  }
}
