package dev.holdfast.testkit.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.holdfast.api.Holdfast;
import dev.holdfast.api.Page;
import dev.holdfast.api.codec.CodecException;
import dev.holdfast.api.codec.PayloadCodec;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.run.DurableSteps;
import dev.holdfast.api.run.RetryLater;
import dev.holdfast.api.run.TaskContext;
import dev.holdfast.api.run.TaskFailure;
import dev.holdfast.api.run.TaskHandler;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.intake.ClientSettings;
import dev.holdfast.testkit.assertion.HoldfastAssertions;
import dev.holdfast.testkit.memory.InMemoryStore;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

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
    assertThat(defaults.node()).isEqualTo("test-node");
    assertThat(defaults.isStopping()).isFalse();
    assertThatThrownBy(() -> defaults.tags().add("y"))
        .isInstanceOf(UnsupportedOperationException.class);

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

    TaskOutcome<Receipt> outcome = throwing(declined).run(ADA);

    assertThat(outcome).isEqualTo(new TaskOutcome.DeadLettered<>(declined, "CARD_DECLINED"));
    assertThat(outcome.exception()).containsSame(declined);
    assertThat(outcome.failureCode()).contains("CARD_DECLINED");
  }

  @Test
  void aHandlerThatThrowsRetryLaterIsPostponed() {
    RetryLater later = new RetryLater(Duration.ofMinutes(1), "busy");

    TaskOutcome<Receipt> outcome = throwing(later).attempt(3).run(ADA);

    assertThat(outcome).isEqualTo(new TaskOutcome.Postponed<>(later, Duration.ofMinutes(1)));
    assertThat(outcome.exception()).containsSame(later);
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

  private static final TaskType<String, String> ECHO =
      TaskType.of("test::echo", String.class, String.class);

  /** A codec for texts, which encodes them by a function and decodes them unchanged. */
  private static PayloadCodec encoding(UnaryOperator<String> encode, List<String> decoded) {
    return new PayloadCodec() {
      @Override
      public String encode(Object value) {
        return encode.apply(value.toString());
      }

      @Override
      @SuppressWarnings("unchecked") // The test decodes texts only.
      public <T> T decode(String text, TypeRef<T> type) {
        decoded.add(text);
        return (T) text;
      }
    };
  }

  @Test
  void theCodecOfTheTestIsUsedBothWays() {
    List<String> decoded = new ArrayList<>();
    List<String> received = new ArrayList<>();
    PayloadCodec shouting = encoding(text -> text.toUpperCase(Locale.ROOT), decoded);

    TaskOutcome<String> outcome =
        TaskTester.of(
                ECHO,
                (text, context) -> {
                  received.add(text);
                  return text + " back";
                })
            .codec(shouting)
            .run("hello");

    assertThat(received).containsExactly("HELLO");
    assertThat(outcome.result()).isEqualTo("HELLO BACK");
    assertThat(decoded).containsExactly("HELLO", "HELLO BACK");
  }

  @Test
  void aCodecIsNotAskedToEncodeNoResult() {
    PayloadCodec codec = encoding(text -> text, new ArrayList<>());

    assertThat(TaskTester.of(ECHO, (text, context) -> null).codec(codec).run("x"))
        .isEqualTo(new TaskOutcome.Succeeded<>(null));
  }

  @Test
  void aResultThatTheCodecDoesNotEncodeProperlyIsABadResult() {
    PayloadCodec nul = encoding(text -> text.equals("x") ? text : "\0", new ArrayList<>());
    PayloadCodec broken =
        encoding(
            text -> {
              if (text.equals("x")) {
                return text;
              }
              throw new IllegalStateException("codecs may do that");
            },
            new ArrayList<>());

    for (PayloadCodec codec : List.of(nul, broken)) {
      assertThat(
              TaskTester.of(ECHO, (text, context) -> "result").codec(codec).run("x").failureCode())
          .contains(FailureCode.BAD_RESULT);
    }
  }

  @Test
  void aPayloadThatANodeWouldNotRunIsFound() {
    PayloadCodec forgetful =
        new PayloadCodec() {
          @Override
          public String encode(Object value) {
            return "nothing";
          }

          @Override
          @SuppressWarnings("NullAway") // A custom codec may do anything.
          public <T> T decode(String text, TypeRef<T> type) {
            return null;
          }
        };
    TaskTester<String, String> tester = TaskTester.of(ECHO, (text, context) -> text);

    assertThatThrownBy(() -> tester.run("x".repeat(ClientSettings.DEFAULT.payloadLimit())))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("bytes");
    assertThatThrownBy(() -> tester.codec(forgetful).run("x"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("nothing, which is decoded as null");
  }

  @Test
  void anErrorOfAHandlerFailsTheAttempt() {
    AssertionError error = new AssertionError("not so");

    TaskOutcome<Receipt> outcome =
        tester(
                (charge, context) -> {
                  throw error;
                })
            .run(ADA);

    assertThat(outcome.exception()).containsSame(error);
    assertThat(outcome.runsAgainIn()).contains(Duration.ofSeconds(1));
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
  void heartbeatsAndProgressAreChecks() {
    List<String> done = new ArrayList<>();
    TaskTester<Charge, Receipt> tester =
        tester((charge, context) -> {
          context.heartbeat();
          done.add("heartbeat");
          context.progress(1, 2, "half");
          done.add("progress");
          return new Receipt("1");
        });

    assertThat(tester.stoppingAtCheck(3).run(ADA).result()).isEqualTo(new Receipt("1"));
    assertThat(done).containsExactly("heartbeat", "progress");

    done.clear();
    assertThat(tester.stoppingAtCheck(2).run(ADA)).isInstanceOf(TaskOutcome.Stopped.class);
    assertThat(done).containsExactly("heartbeat");

    done.clear();
    assertThat(tester.stoppingAtCheck(1).run(ADA)).isInstanceOf(TaskOutcome.Stopped.class);
    assertThat(done).isEmpty();
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
    assertThatThrownBy(() -> throwing(null).tag(" ")).hasMessageContaining("Tag ' '");
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
        .createdAt(Instant.parse("2026-01-01T00:00:00Z"))
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
  void aHandlerEnqueuesWithTheClientAndTheCodecOfTheTest() {
    PayloadCodec shouting = encoding(text -> text.toUpperCase(Locale.ROOT), new ArrayList<>());
    TaskHandler<String, String> enqueueing =
        (text, context) -> context.client().enqueue(ECHO, "next").id().toString();
    TaskTester<String, String> tester = TaskTester.of(ECHO, enqueueing).codec(shouting);
    tester.run("x").result();
    assertThat(tester.client().list(JobFilter.all(), Page.first(10)))
        .extracting(Job::payload)
        .containsExactly("NEXT");

    try (Holdfast own = HoldfastClient.on(new InMemoryStore(InstantSource.system()))) {
      TaskTester.of(ECHO, enqueueing).client(own).run("x").result();

      HoldfastAssertions.assertThat(own).enqueued(ECHO).withPayload("next").times(1);
    }
  }

  @Test
  void linesThatAHandlerLogsAreLogged() {
    Logger logger = (Logger) LoggerFactory.getLogger(TaskContext.class);
    ListAppender<ILoggingEvent> logged = new ListAppender<>();
    logged.start();
    logger.addAppender(logged);
    try {
      tester(
              (charge, context) -> {
                context.log("charged {}");
                return new Receipt("1");
              })
          .run(ADA)
          .result();
    } finally {
      logger.detachAppender(logged);
    }

    assertThat(logged.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .containsExactly("charged {}");
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

  @Test
  void durableStepsAreExecutedSleepsAreOverAndSignalsAreThoseGiven() {
    TaskTester<Charge, Receipt> tester =
        tester(
                (charge, context) -> {
                  DurableSteps steps = context.steps();
                  String number = steps.run("number", String.class, () -> "n-1");
                  steps.sleep("cooling-off", Duration.ofDays(14));
                  Optional<String> by =
                      steps.awaitSignal("approved", String.class, Duration.ofDays(1));
                  boolean again = steps.awaitSignal("approved", Duration.ofDays(1));
                  return new Receipt(number + by + again + steps.patched("any"));
                })
            .signal("approved", "ada");

    assertThat(tester.run(ADA).result()).isEqualTo(new Receipt("n-1Optional[ada]falsetrue"));
    assertThat(tester.sleeps()).containsExactly(Duration.ofDays(14));
  }

  @Test
  void aStepInATransactionNeedsADatabase() {
    TaskOutcome<Receipt> outcome =
        tester((charge, context) ->
                context.steps().transaction("book", Receipt.class, transaction -> null))
            .run(ADA);

    assertThat(outcome.exception())
        .hasValueSatisfying(thrown ->
            assertThat(thrown)
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("PostgreSQL"));
  }
}
