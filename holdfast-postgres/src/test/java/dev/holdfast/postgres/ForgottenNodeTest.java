package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.store.Upkeep.Retention;
import dev.holdfast.tck.contract.JobDraft;
import dev.holdfast.tck.contract.Worker;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Rows of dead nodes, while another node looks for jobs that they still hold. */
class ForgottenNodeTest {
  private static final String BUSY =
      """
      select pg_advisory_lock(
        hashtextextended('holdfast upkeep holdfast: look for jobs that dead nodes still hold', 0))
      """;

  @Test
  void aDeadNodeThatHoldsAJobOfAnEarlyCallIsNotForgotten() throws SQLException {
    try (PostgresFixture fixture = new PostgresFixture();
        Connection busy = fixture.database().connect();
        Statement lock = busy.createStatement()) {
      Worker worker = Worker.join(fixture.store(), "node-1", JobDraft.QUEUE, JobDraft.TASK);
      fixture.store().intake().enqueue(List.of(new JobDraft().build()));
      worker.claimOne();
      worker.beat(100); // The node assumes that it holds no jobs of earlier calls.
      worker.leave();
      fixture.passTime(Duration.ofDays(3));
      lock.execute(BUSY);

      fixture.store().upkeep().tidy(new Retention(Duration.ofDays(1), Duration.ofDays(1)));

      assertThat(fixture.store().nodes().list())
          .extracting(status -> status.registration().incarnation())
          .containsExactly(worker.incarnation());
      assertThat(fixture.ask("select from_call from holdfast.node")).isEqualTo("100");
    }
  }
}
