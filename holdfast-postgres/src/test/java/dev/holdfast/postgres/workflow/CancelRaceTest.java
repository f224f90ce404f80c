package dev.holdfast.postgres.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.workflow.RunId;
import dev.holdfast.engine.store.RunControl;
import dev.holdfast.postgres.PostgresFixture;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Cancels runs at random moments while nodes claim, start, retry and recover their jobs. */
class CancelRaceTest {
  private static final int RUNS = 100;

  private static PostgresFixture fixture;

  @BeforeAll
  static void open() {
    fixture = new PostgresFixture();
  }

  @AfterAll
  static void close() {
    fixture.close();
  }

  @Test
  void nothingOfARunIsStartableOrStartsAfterItWasCancelled() throws Exception {
    RunControl control = fixture.store().runs().control();
    List<RunId> cancelled = new ArrayList<>();
    try (BusyNodes nodes = new BusyNodes(fixture)) {
      for (int i = 0; i < RUNS; i++) {
        RunId id = nodes.start();
        nodes.awaitAttempts(nodes.attempts() + ThreadLocalRandom.current().nextInt(20));
        assertThat(control.cancel(id, "test").done()).isTrue();
        nodes.expectNoStartOf(id);
        cancelled.add(id);
        for (int look = 0; look < 3; look++) {
          assertThat(nodes.startable(id)).as("run %d, look %d", i, look).isEqualTo("0");
        }
      }
      assertThat(cancelled).allSatisfy(id -> assertThat(nodes.startable(id)).isEqualTo("0"));
    }
  }
}
