package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.FailedAttempt;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.policy.CircuitBreaker;
import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.node.NodeBuilder;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Rolling deployments: an old node runs beside a new one whose payloads it cannot read. */
public abstract class RollingContract extends NodeTestBase {
  /** A payload of the old version. */
  record Old(int count) {}

  /** A payload of the new version. */
  record New(String count) {}

  private static final TaskType<Old, String> OLD_TASK =
      TaskType.of("test::count", Old.class, String.class);
  private static final TaskType<New, String> NEW_TASK =
      TaskType.of("test::count", New.class, String.class);

  private static final RetryPolicy ONCE = RetryPolicy.NEVER;

  private NodeBuilder old(String id) {
    return node().id(id).handle(OLD_TASK, (payload, context) -> "read by " + id);
  }

  private Enqueued<String> enqueue(RetryPolicy retry) {
    return client().enqueue(NEW_TASK, new New("many"), options -> options.retry(retry));
  }

  private static double claims(MeterRegistry registry) {
    return registry.get("holdfast.claim.batch").summary().count();
  }

  @Test
  void aNodeThatCannotReadAPayloadLeavesTheJobToANodeThatCan() throws Exception {
    CountDownLatch busy = new CountDownLatch(1);
    CountDownLatch free = new CountDownLatch(1);
    start(
        node()
            .id("new")
            .meters(new SimpleMeterRegistry())
            .queue("default", 1)
            .handle(NEW_TASK, (payload, context) -> "read by new")
            .handle(
                ECHO,
                (note, context) -> {
                  busy.countDown();
                  free.await();
                  return "";
                }));
    client().enqueue(ECHO, new Note("keeps the new node busy"));
    busy.await();
    start(old("old").breaker("**", CircuitBreaker.after(1)));

    Enqueued<String> job = enqueue(ONCE);
    await().atMost(SOON).until(() -> !job(job.id()).failures().isEmpty());
    awaitState(job.id(), JobState.READY);
    double before = claims(meters);
    await().atMost(SOON).until(() -> claims(meters) > before + 5);

    Job waiting = job(job.id());
    assertThat(waiting.state()).isEqualTo(JobState.READY);
    assertThat(waiting.fencingToken()).as("claims by the old node").isEqualTo(1);
    free.countDown();

    assertThat(client().await(job, SOON)).isEqualTo("read by new");
    assertThat(job(job.id()).failures())
        .extracting(FailedAttempt::code, FailedAttempt::node)
        .containsExactly(tuple(FailureCode.BAD_PAYLOAD, "old"));
  }

  @Test
  void aPayloadThatNoNodeCanReadUsesUpItsAttempts() {
    start(old("one"));
    start(old("two"));

    Enqueued<String> job = enqueue(RetryPolicy.fixed(Duration.ofMillis(10)).maxAttempts(4));

    assertThat(awaitState(job.id(), JobState.FAILED).failures())
        .hasSize(4)
        .allSatisfy(failure -> assertThat(failure.code()).isEqualTo(FailureCode.BAD_PAYLOAD))
        .extracting(FailedAttempt::node)
        .contains("one", "two");
  }

  @Test
  void aPolicyThatNeverRetriesABadPayloadIsFollowed() {
    start(old("one"));
    start(old("two"));

    Enqueued<String> job = enqueue(RetryPolicy.DEFAULT.neverOn(FailureCode.BAD_PAYLOAD));

    assertThat(awaitState(job.id(), JobState.FAILED).failures()).hasSize(1);
  }
}
