package dev.holdfast.engine.rule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.StoreException.Outcome;
import dev.holdfast.api.policy.CircuitBreaker;
import dev.holdfast.api.task.TaskStatus;
import dev.holdfast.engine.meter.Meters;
import dev.holdfast.engine.notify.ClusterCoordinator;
import dev.holdfast.engine.notify.SignalBus;
import dev.holdfast.engine.run.Jobs;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.TaskStore;
import dev.holdfast.engine.time.Moment;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class BreakerReporterTest {
  private static final String TASK = "mail::send";
  private static final Moment NOW = new Moment(0);
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final FakeTaskStore taskStore = new FakeTaskStore();
  private final TaskRules rules = new TaskRules();
  private final Meters meters = new Meters(new SimpleMeterRegistry(), null, List.of());
  private final BreakerReporter breakerReporter =
      new BreakerReporter(
          taskStore,
          rules,
          Map.of(TASK, CircuitBreaker.after(3)),
          new SignalBus(ClusterCoordinator.none()),
          Jobs.telemetry(meters, () -> NOW),
          () -> {});

  /** Records the reports, and fails as planned. */
  private static final class FakeTaskStore implements TaskStore {
    private final Queue<Outcome> failures = new ArrayDeque<>();
    private final List<Attempts> received = new ArrayList<>();
    private Rule rule = Rule.NONE;

    @Override
    public Noted report(Attempts attempts) {
      received.add(attempts);
      Outcome failure = failures.poll();
      if (failure != null) {
        throw new StoreException(failure, "The connection broke.", null);
      }
      return new Noted(Turn.NONE, rule);
    }

    @Override
    public void limit(String task, @Nullable Integer most) {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean closeBreaker(String task) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Map<String, Rule> rules() {
      throw new UnsupportedOperationException();
    }

    @Override
    public List<TaskStatus> list() {
      throw new UnsupportedOperationException();
    }
  }

  private static ClaimedJob job(int number) {
    return Jobs.of(TASK, number);
  }

  private ClaimId fail(int number) {
    ClaimedJob job = job(number);
    Finish.Failure failure = new Finish.Failure(1, "FAILED", null, "No stamps", null, "node");
    breakerReporter.ended(job, new Finish.Dead(job.claim(), failure));
    return job.claim();
  }

  private ClaimId succeed(int number) {
    ClaimedJob job = job(number);
    breakerReporter.ended(job, new Finish.Succeeded(job.claim(), null, null));
    return job.claim();
  }

  @Test
  void reportsThatTheStoreDidNotReceiveAreRepeated() {
    taskStore.failures.add(Outcome.RETRYABLE);
    ClaimId failed = fail(1);

    Moment next = breakerReporter.tick(NOW);
    assertThat(breakerReporter.tick(next)).isEqualTo(Moment.NEVER);

    assertThat(taskStore.received)
        .hasSize(2)
        .allSatisfy(told -> assertThat(told.failed()).containsExactly(failed));
  }

  @Test
  void failuresThatTheStoreMayHaveReceivedAreNotRepeated() {
    taskStore.failures.add(Outcome.UNKNOWN);
    fail(1);
    Moment next = breakerReporter.tick(NOW);
    ClaimId later = fail(2);

    assertThat(breakerReporter.tick(next)).isEqualTo(Moment.NEVER);

    assertThat(taskStore.received.getLast().failed()).containsExactly(later);
  }

  @Test
  void afterALostReplyTheStateOfTheBreakerIsRead() {
    taskStore.failures.add(Outcome.UNKNOWN);
    taskStore.rule = new TaskStore.Rule(null, MINUTE);
    fail(1);

    Moment next = breakerReporter.tick(NOW);
    assertThat(rules.isBroken(TASK)).isFalse();
    breakerReporter.tick(next);

    assertThat(rules.isBroken(TASK)).isTrue();
    assertThat(taskStore.received.getLast().failed()).isEmpty();
  }

  @Test
  void aSuccessIsRepeatedBecauseItClosesTheBreakerOnce() {
    rules.set(TASK, new TaskStore.Rule(null, MINUTE), NOW);
    taskStore.failures.add(Outcome.UNKNOWN);
    ClaimId done = succeed(1);

    Moment next = breakerReporter.tick(NOW);
    assertThat(breakerReporter.tick(next)).isEqualTo(Moment.NEVER);

    assertThat(taskStore.received)
        .hasSize(2)
        .allSatisfy(told -> assertThat(told.succeeded()).containsExactly(done));
  }

  @Test
  void rejectedReportsAreNotRepeated() {
    taskStore.failures.add(Outcome.REFUSED);
    fail(1);

    assertThat(breakerReporter.tick(NOW)).isEqualTo(Moment.NEVER);
  }
}
