package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobState;
import dev.holdfast.embedded.testing.SharedServer;
import dev.holdfast.embedded.testing.TestDatabase;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.postgres.EndingProgram.Nap;
import dev.holdfast.postgres.EndingProgram.Way;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Processes that end in different ways. Each drains its nodes first. */
class ProcessEndTest {
  private static final Duration SOON = Duration.ofSeconds(30);

  /** The payload of a job that ends within the grace time. */
  private static final Nap SHORT = new Nap(Duration.ofMillis(1500));

  /** The payload of a job that responds to interruption after the grace time. */
  private static final Nap LONG = new Nap(Duration.ofHours(1));

  private final TestDatabase database = SharedServer.freshDatabase();
  private PostgresStore store;
  private Holdfast client;
  private NodeProcess process;
  private Enqueued<String> shortJob;
  private Enqueued<String> longJob;

  @BeforeEach
  void setUp() {
    store =
        PostgresStore.connect(
            PostgresSettings.builder(database.jdbcUrl())
                .user(database.user())
                .password(database.password())
                .build());
    client = HoldfastClient.on(store);
  }

  @AfterEach
  void tearDown() {
    if (process != null) {
      process.close();
    }
    client.close();
    store.close();
  }

  private void start(Way way) throws IOException {
    process = new NodeProcess(EndingProgram.class, database, way.name());
  }

  /** Starts the program with one job that ends in time and one that does not. */
  private void startBusy(Way way) throws IOException {
    start(way);
    longJob = client.enqueue(EndingProgram.TASK, LONG);
    process.awaitLine("STARTED");
    shortJob = client.enqueue(EndingProgram.TASK, SHORT);
    process.awaitLine("STARTED");
  }

  private Job job(Enqueued<String> enqueued) {
    return client.find(enqueued.id()).orElseThrow();
  }

  /** Expects that the process has ended and that its jobs are finished or back in the queue. */
  private void assertDrained(int exitValue) throws InterruptedException {
    assertThat(process.hasEndedWithin(30_000)).isTrue();
    assertThat(process.exitValue()).isEqualTo(exitValue);
    assertThat(job(shortJob).state()).isEqualTo(JobState.SUCCEEDED);
    assertThat(job(longJob).state()).isEqualTo(JobState.READY);
    assertThat(job(longJob).attempt()).as("attempts used").isZero();
    assertThat(store.nodes().list())
        .isNotEmpty()
        .allSatisfy(node -> assertThat(node.alive()).isFalse());
  }

  @Test
  void aNodeKeepsItsProcessAliveWhenMainHasReturned() throws Exception {
    start(Way.RETURNS);

    assertThat(process.hasEndedWithin(1_000)).isFalse();
    Enqueued<String> job = client.enqueue(EndingProgram.TASK, new Nap(Duration.ZERO));
    assertThat(client.await(job, SOON)).isEqualTo("done");
  }

  @Test
  void aSignalDrainsAProcessWhoseMainHasReturned() throws Exception {
    startBusy(Way.RETURNS_AND_DRAINS_ON_SIGNALS);

    process.signal("TERM");

    assertDrained(143);
  }

  @Test
  void closeWaitsForADrainThatASignalStarted() throws Exception {
    startBusy(Way.CLOSES_DURING_A_DRAIN);

    process.signal("TERM");

    assertDrained(143);
  }

  @Test
  void systemExitDrains() throws Exception {
    startBusy(Way.EXITS);

    process.tell("");

    assertDrained(7);
  }

  @Test
  void theEndOfATryBlockDrainsAndThenTheProcessEnds() throws Exception {
    startBusy(Way.LEAVES_ITS_BLOCK);

    process.tell("");

    assertDrained(0);
  }

  @Test
  void aSignalDrainsAllNodesOfAProcessAlthoughOneFailsToClose() throws Exception {
    start(Way.TWO_NODES);
    longJob = client.enqueue(EndingProgram.TASK, LONG);
    Enqueued<String> second = client.enqueue(EndingProgram.TASK, LONG);
    Enqueued<String> third = client.enqueue(EndingProgram.TASK, LONG);
    process.awaitLine("STARTED");
    process.awaitLine("STARTED");
    process.awaitLine("STARTED");
    assertThat(store.nodes().list()).hasSize(2);
    shortJob = client.enqueue(EndingProgram.TASK, SHORT);
    process.awaitLine("STARTED");

    process.signal("TERM");

    assertDrained(143);
    assertThat(job(second).state()).isEqualTo(JobState.READY);
    assertThat(job(third).state()).isEqualTo(JobState.READY);
  }
}
