package dev.holdfast.postgres.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.StoreException;
import dev.holdfast.embedded.EmbeddedPostgres;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.postgres.Drafts;
import dev.holdfast.postgres.PostgresFixture;
import dev.holdfast.postgres.PostgresSettings;
import dev.holdfast.postgres.PostgresStore;
import dev.holdfast.tck.contract.Worker;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The number of claimed jobs under a limit, counted by processes that each remember their last
 * count.
 */
class HeldCountTest {
  private final PostgresFixture fixture = new PostgresFixture();
  private final List<PostgresStore> stores = new ArrayList<>();
  private final List<Participant> processes = new ArrayList<>();

  private record Participant(Worker worker, List<ClaimedJob> held) {}

  @BeforeEach
  void threeProcesses() {
    for (int i = 0; i < 3; i++) {
      PostgresStore store = PostgresStore.connect(fixture.settings().build());
      stores.add(store);
      processes.add(
          new Participant(
              Worker.join(store, "node-" + i, Drafts.QUEUE, Drafts.TASK), new ArrayList<>()));
    }
    fixture.store().intake().enqueue(Stream.generate(Drafts::job).limit(1_000).toList());
  }

  @AfterEach
  void close() {
    stores.forEach(PostgresStore::close);
    fixture.close();
  }

  @Test
  void everyProcessCountsExactlyRegardlessOfOthers() {
    Random random = new Random(5);
    Integer limit = null;
    for (int round = 0; round < 300; round++) {
      Participant process = processes.get(random.nextInt(processes.size()));
      switch (random.nextInt(8)) {
        case 0 -> {
          limit = random.nextInt(4) == 0 ? null : 1 + random.nextInt(8);
          stores.getFirst().queues().limit(Drafts.QUEUE, limit);
        }
        case 1, 2, 3 -> end(process, random);
        default -> {
          int wanted = 1 + random.nextInt(4);
          int room = limit == null ? wanted : Math.max(0, limit - held());
          List<ClaimedJob> claimed = process.worker.claim(wanted, 0, limit);
          assertThat(claimed).as("round %d", round).hasSize(Math.min(wanted, room));
          process.held.addAll(claimed);
        }
      }
    }
  }

  private int held() {
    return processes.stream().mapToInt(process -> process.held.size()).sum();
  }

  private static void end(Participant process, Random random) {
    if (process.held.isEmpty()) {
      return;
    }
    ClaimedJob job = process.held.remove(random.nextInt(process.held.size()));
    if (random.nextBoolean()) {
      process.worker.succeed(job);
    } else {
      process.worker.giveBack(job.claim());
    }
  }

  @Test
  void countingStartsOverOnAServerThatReusesNumbers() throws SQLException {
    try (EmbeddedPostgres server = EmbeddedPostgres.temporary().start();
        PostgresStore store =
            PostgresStore.connect(
                PostgresSettings.builder(server.jdbcUrl())
                    .user(server.user())
                    .password(server.password())
                    .build())) {
      store.intake().enqueue(Stream.generate(Drafts::job).limit(5).toList());
      store.queues().limit(Drafts.QUEUE, 3);
      Worker worker = Worker.join(store, "node-1", Drafts.QUEUE, Drafts.TASK);
      execute(server, "select setval('holdfast.cap_number', 1000)");
      worker.claim(1, 0, 3);
      worker.claim(1, 0, 3);

      server.restart();
      execute(server, "update holdfast.job set cap_no = cap_no - 900 where capped");

      // The restart has closed connections of the pool.
      List<ClaimedJob> claimed =
          await()
              .ignoreException(StoreException.class)
              .until(() -> worker.claim(3, 0, 3), any -> true);
      assertThat(claimed).hasSize(1);
    }
  }

  private static void execute(EmbeddedPostgres server, String sql) throws SQLException {
    try (Connection connection =
            DriverManager.getConnection(server.jdbcUrl(), server.user(), server.password());
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Test
  void jobsClaimedByAnEarlierVersionCount() {
    stores.getFirst().queues().limit(Drafts.QUEUE, 3);
    Worker worker = processes.getFirst().worker;
    worker.claim(2, 0, 3);
    fixture.execute("update holdfast.job set cap_no = null");

    assertThat(worker.claim(3, 0, 3)).hasSize(1);
  }
}
