package dev.holdfast.examples;

import static dev.holdfast.testkit.assertion.HoldfastAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.run.VoidTaskHandler;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.junit.HoldfastExtension;
import dev.holdfast.testkit.task.TaskOutcome;
import dev.holdfast.testkit.task.TaskTester;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests a handler alone, and jobs in memory with time that the test moves. No database. */
class TestingTasksTest {
  record Mail(String to) {}

  static final TaskType<Mail, Void> SEND =
      TaskType.of("mail::send", Mail.class)
          .with(job -> job.retry(RetryPolicy.fixed(Duration.ofHours(1)).maxAttempts(2)));

  static final VoidTaskHandler<Mail> HANDLER =
      (mail, context) -> {
        if (context.attempt() == 1) {
          throw new IllegalStateException("connection reset");
        }
      };

  @RegisterExtension
  static final HoldfastExtension node = HoldfastExtension.inMemory().handle(SEND, HANDLER);

  @Test
  void aHandlerAlone() {
    TaskTester<Mail, Void> tester = TaskTester.of(SEND, HANDLER);

    assertThat(tester.run(new Mail("ada@example.org"))).isInstanceOf(TaskOutcome.Retried.class);
    assertThat(tester.attempt(2).run(new Mail("ada@example.org")))
        .isInstanceOf(TaskOutcome.Succeeded.class);
  }

  @Test
  void aJobThatIsRetriedAnHourLater(Holdfast client) {
    client.enqueue(SEND, new Mail("ada@example.org"));

    assertThat(node.drain().retried()).isEqualTo(1);
    node.advance(Duration.ofHours(1));
    node.drain().orThrow();

    assertThat(client)
        .enqueued(SEND)
        .with(mail -> mail.to().equals("ada@example.org"))
        .matching(job -> job.state() == JobState.SUCCEEDED)
        .times(1);
  }
}
