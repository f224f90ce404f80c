package dev.holdfast.postgres.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.workflow.RunId;
import dev.holdfast.engine.store.RunControl;
import dev.holdfast.postgres.PostgresFixture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Pauses a run again and again while nodes claim, start, retry, hand back and recover its jobs. */
class PauseRaceTest {
  private static final int PAUSES = 200;

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
  void nothingIsStartableInAPausedRun() throws Exception {
    RunControl control = fixture.store().runs().control();
    try (BusyNodes nodes = new BusyNodes(fixture)) {
      RunId id = nodes.start();
      for (int i = 0; i < PAUSES; i++) {
        assertThat(control.pause(id, "test").done()).isTrue();
        for (int look = 0; look < 3; look++) {
          assertThat(nodes.startable(id)).as("pause %d, look %d", i, look).isEqualTo("0");
        }
        assertThat(control.resume(id).done()).isTrue();
      }
      assertThat(nodes.attempts()).isPositive();
    }
    assertThat(fixture.ask("select count(*) from holdfast.job")).isEqualTo("" + BusyNodes.JOBS);
  }
}
