package dev.holdfast.testkit.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.codec.CodecException;
import dev.holdfast.api.codec.PayloadCodec;
import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.run.RetryLater;
import dev.holdfast.api.run.TaskContext;
import dev.holdfast.api.run.TaskFailure;
import dev.holdfast.api.run.TaskHandler;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.testkit.assertion.HoldfastAssertions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;

/** A handler alone, as a node would call it. */
class TaskTesterTest {
  record Charge(String account, long cents) {}

  record Receipt(String number) {}

  private static final TaskType<Charge, Receipt> CHARGE =
      TaskType.of("billing::charge", Charge.class, Receipt.class)
          .with(job ->
              job.queue("money")
                  .tags("billing")
                  .retry(
                      RetryPolicy.exponential(Duration.ofSeconds(1))
                          .maxAttempts(3)
                          .neverOn("CARD_DECLINED")));

  private static final Charge ADA = new Charge("ada", 4_200);

  private static TaskTester<Charge, Receipt> tester(TaskHandler<Charge, Receipt> handler) {
    return TaskTester.of(CHARGE, handler);
  }

  private static TaskTester<Charge, Receipt> throwing(RuntimeException failure) {
    return tester((charge, context) -> {
      throw failure;
    });
  }

  @Test
  void theOutcomeOfAHandlerThatReturnsHasItsResult() {
    TaskOutcome<Receipt> outcome =
        tester((charge, context) -> new Receipt(charge.account() + charge.cents())).run(ADA);

    assertThat(outcome).isEqualTo(new TaskOutcome.Succeeded<>(new Receipt("ada4200")));
    assertThat(outcome.result()).isEqualTo(new Receipt("ada4200"));
    assertThat(outcome.exception()).isEmpty();
    assertThat(outcome.failureCode()).isEmpty();
    assertThat(outcome.runsAgainIn()).isEmpty();
  }

  @Test
  void aTaskWithoutAResultNeedsNone() {
    List<String> charged = new ArrayList<>();
    TaskType<Charge, Void> type = TaskType.of("billing::void", Charge.class);

    TaskOutcome<Void> outcome =
        TaskTester.of(type, (charge, context) -> charged.add(charge.account())).run(ADA);

    assertThat(outcome).isEqualTo(new TaskOutcome.Succeeded<>(null));
    assertThat(charged).containsExactly("ada");
  }

  @Test
  void genericTypesPassThroughTheCodec() {
    TaskType<List<Charge>, List<Receipt>> type =
        TaskType.of("billing::many", new TypeRef<>() {}, new TypeRef<>() {});

    TaskOutcome<List<Receipt>> outcome =
        TaskTester.of(
                type,
                (charges, context) ->
                    charges.stream().map(charge -> new Receipt(charge.account())).toList())
            .run(List.of(ADA));

    assertThat(outcome.result()).containsExactly(new Receipt("ada"));
  }

  @Test
  void theContextHasTheGivenValues() {
    List<TaskContext> contexts = new ArrayList<>();
    Instant created = Instant.parse("2026-01-01T00:00:00Z");
    TaskTester<Charge, Receipt> tester =
        tester((charge, context) -> {
          contexts.add(context);
          return new Receipt("1");
        });

    tester.run(ADA);
    TaskContext defaults = contexts.getFirst();
    assertThat(defaults.task()).isEqualTo("billing::charge");
    assertThat(defaults.queue()).isEqualTo("money");
    assertThat(defaults.tags()).containsExactly("billing");
    assertThat(defaults.attempt()).isEqualTo(1);
    assertThat(defaults.fencingToken()).isEqualTo(1);
    assertThat(defaults.isStopping()).isFalse();

    tester.attempt(2).tag("x").queue("slow").fencingToken(7).createdAt(created).run(ADA);
    TaskContext context = contexts.getLast();
    assertThat(context.attempt()).isEqualTo(2);
    assertThat(context.tags()).containsExactlyInAnyOrder("billing", "x");
    assertThat(context.queue()).isEqualTo("slow");
    assertThat(context.fencingToken()).isEqualTo(7);
    assertThat(context.createdAt()).isEqualTo(created);
  }

  @Test
  void aFailureIsRetriedAsThePolicyOfTheTaskSaysWithoutJitter() {
    IllegalStateException down = new IllegalStateException("the bank is down");

    TaskOutcome<Receipt> second = throwing(down).attempt(2).run(ADA);
    TaskOutcome<Receipt> third = throwing(down).attempt(3).run(ADA);

    assertThat(second)
        .isEqualTo(new TaskOutcome.Retried<>(down, FailureCode.TASK_FAILED, Duration.ofSeconds(2)));
    assertThat(second.exception()).containsSame(down);
    assertThat(second.failureCode()).contains("TASK_FAILED");
    assertThat(second.runsAgainIn()).contains(Duration.ofSeconds(2));
    assertThat(third).isEqualTo(new TaskOutcome.DeadLettered<>(down, FailureCode.TASK_FAILED));
    assertThat(third.runsAgainIn()).isEmpty();
    assertThatThrownBy(second::result)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("the bank is down")
        .hasCause(down);
  }

  @Test
  void aTaskWithoutARetryPolicyHasTheDefaultOne() {
    TaskType<Charge, Receipt> plain = TaskType.of("billing::plain", Charge.class, Receipt.class);
    TaskHandler<Charge, Receipt> failing =
        (charge, context) -> {
          throw new IllegalStateException("down");
        };

    assertThat(TaskTester.of(plain, failing).attempt(9).run(ADA))
        .isInstanceOf(TaskOutcome.Retried.class);
    assertThat(TaskTester.of(plain, failing).attempt(10).run(ADA))
        .isInstanceOf(TaskOutcome.DeadLettered.class);
  }

  @Test
  void rulesForFailureCodesApply() {
    TaskFailure declined = new TaskFailure("CARD_DECLINED", "too much");

    assertThat(throwing(declined).run(ADA))
        .isEqualTo(new TaskOutcome.DeadLettered<>(declined, "CARD_DECLINED"));
  }

  @Test
  void aHandlerThatThrowsRetryLaterIsPostponed() {
    RetryLater later = new RetryLater(Duration.ofMinutes(1), "busy");

    TaskOutcome<Receipt> outcome = throwing(later).attempt(3).run(ADA);

    assertThat(outcome).isEqualTo(new TaskOutcome.Postponed<>(later, Duration.ofMinutes(1)));
    assertThat(outcome.runsAgainIn()).contains(Duration.ofMinutes(1));
    assertThat(outcome.failureCode()).isEmpty();
  }

  @Test
  void aPayloadThatCannotBeEncodedIsReported() {
    record Self(Object me) {}
    Self self = new Self(new Object[1]);
    ((Object[]) self.me())[0] = self;
    TaskType<Self, Receipt> type = TaskType.of("test::self", Self.class, Receipt.class);

    assertThatThrownBy(() -> TaskTester.of(type, (payload, context) -> null).run(self))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("Self");
  }

  @Test
  void aPayloadThatCannotBeDecodedIsReported() {
    TaskType<Runnable, Receipt> type = TaskType.of("test::code", Runnable.class, Receipt.class);
    record Code(String name) implements Runnable {
      @Override
      public void run() {}
    }

    assertThatThrownBy(() -> TaskTester.of(type, (payload, context) -> null).run(new Code("x")))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("Runnable");
  }

  @Test
  void aResultThatCannotBeEncodedFailsPermanently() {
    record Self(Object me) {}
    Self self = new Self(new Object[1]);
    ((Object[]) self.me())[0] = self;
    TaskType<Charge, Self> type = TaskType.of("test::self", Charge.class, Self.class);

    TaskOutcome<Self> outcome = TaskTester.of(type, (charge, context) -> self).run(ADA);

    assertThat(outcome).isInstanceOf(TaskOutcome.DeadLettered.class);
    assertThat(outcome.failureCode()).contains(FailureCode.BAD_RESULT);
  }

  @Test
  void theCodecOfTheTestIsUsedBothWays() {
    List<String> decoded = new ArrayList<>();
    PayloadCodec shouting =
        new PayloadCodec() {
          @Override
          public String encode(Object value) {
            return value.toString().toUpperCase(java.util.Locale.ROOT);
          }

          @Override
          @SuppressWarnings("unchecked") // The test decodes texts only.
          public <T> T decode(String text, TypeRef<T> type) {
            decoded.add(text);
            return (T) text;
          }
        };
    TaskType<String, String> echo = TaskType.of("test::echo", String.class, String.class);

    TaskOutcome<String> outcome =
        TaskTester.of(echo, (text, context) -> text + " back").codec(shouting).run("hello");

    assertThat(outcome.result()).isEqualTo("HELLO BACK");
    assertThat(decoded).containsExactly("HELLO", "HELLO BACK");
  }

  @Test
  void aStopRequestedBeforehandIsVisibleInEveryWay() {
    List<Object> seen = new ArrayList<>();

    TaskOutcome<Receipt> outcome =
        tester(
                (charge, context) -> {
                  seen.add(context.isStopping());
                  seen.add(Thread.currentThread().isInterrupted());
                  context.heartbeat();
                  return new Receipt("1");
                })
            .stopping()
            .run(ADA);

    assertThat(seen).containsExactly(true, true);
    assertThat(outcome).isInstanceOf(TaskOutcome.Stopped.class);
    assertThat(outcome.exception()).containsInstanceOf(CancellationException.class);
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  @Test
  void aStopCanBeRequestedAtACheck() {
    List<Integer> done = new ArrayList<>();

    TaskOutcome<Receipt> outcome =
        tester(
                (charge, context) -> {
                  for (int i = 0; i < 10 && !context.isStopping(); i++) {
                    done.add(i);
                  }
                  return new Receipt("half");
                })
            .stoppingAtCheck(3)
            .run(ADA);

    assertThat(done).containsExactly(0, 1);
    assertThat(outcome).isEqualTo(new TaskOutcome.Stopped<>(null));
    assertThatThrownBy(outcome::result).isInstanceOf(AssertionError.class);
  }

  @Test
  void anInterruptOfTheTestItselfSurvives() {
    List<Boolean> seen = new ArrayList<>();
    Thread.currentThread().interrupt();

    tester(
            (charge, context) -> {
              seen.add(Thread.currentThread().isInterrupted());
              return new Receipt("1");
            })
        .run(ADA);

    assertThat(Thread.interrupted()).isTrue();
    assertThat(seen).containsExactly(false);
  }

  @Test
  void invalidValuesAreRejected() {
    assertThatThrownBy(() -> throwing(null).attempt(0)).hasMessageContaining("counted from 1");
    assertThatThrownBy(() -> throwing(null).stoppingAtCheck(0)).hasMessageContaining("stopping()");
    assertThatThrownBy(() -> throwing(null).queue("A b")).hasMessageContaining("A b");
    assertThatThrownBy(() -> throwing(null).run(null)).hasMessageContaining("null");
  }

  @Test
  void theContextKnowsThePolicyOfTheTaskAndTheKeyOfTheJob() {
    List<Object> seen = new ArrayList<>();
    TaskType<Charge, Receipt> timed = CHARGE.with(job -> job.timeout(Duration.ofMinutes(1)));

    TaskTester.of(
            timed,
            (charge, context) -> {
              seen.add(context.maxAttempts());
              seen.add(context.isLastAttempt());
              seen.add(context.uniqueKey().orElseThrow());
              seen.add(context.deadline().orElseThrow().isAfter(Instant.now()));
              return new Receipt("1");
            })
        .attempt(3)
        .uniqueKey("ada")
        .run(ADA)
        .result();

    assertThat(seen).containsExactly(3, true, "ada", true);
  }

  @Test
  void jobsEnqueuedByAHandlerAreRecorded() {
    TaskTester<Charge, Receipt> tester =
        tester((charge, context) -> {
          context.client().enqueue(CHARGE, new Charge("bob", 1));
          return new Receipt("1");
        });

    tester.run(ADA).result();

    HoldfastAssertions.assertThat(tester.client())
        .enqueued(CHARGE)
        .withPayload(new Charge("bob", 1))
        .times(1);
  }

  @Test
  void aHandlerSeesThatItsNodeDrainsAndItsOwnProgress() {
    List<Object> seen = new ArrayList<>();
    TaskTester<Charge, Receipt> tester =
        tester((charge, context) -> {
          context.onDrain(() -> seen.add("called"));
          seen.add(context.isDraining());
          context.progress(1, 2, "half");
          seen.add(context.progress().orElseThrow().done());
          context.log("a line");
          return new Receipt("1");
        });

    tester.run(ADA).result();
    assertThat(seen).containsExactly(false, 1L);

    seen.clear();
    tester.draining().run(ADA).result();
    assertThat(seen).containsExactly("called", true, 1L);
  }
}
