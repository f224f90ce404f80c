package dev.holdfast.engine.run;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import dev.holdfast.api.policy.Backoff;
import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.run.TaskFailure;
import dev.holdfast.api.run.TaskHandler;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.codec.JobPolicy;
import dev.holdfast.engine.codec.JsonCodec;
import dev.holdfast.engine.held.HeldJob;
import dev.holdfast.engine.held.HeldJobs;
import dev.holdfast.engine.held.Lane;
import dev.holdfast.engine.held.LogContext;
import dev.holdfast.engine.held.Slots;
import dev.holdfast.engine.held.StopReason;
import dev.holdfast.engine.held.TaskExecutor;
import dev.holdfast.engine.held.Tenure;
import dev.holdfast.engine.meter.Meters;
import dev.holdfast.engine.node.Logged;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.time.Moment;
import dev.holdfast.engine.time.Ticker;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Every attempt is reported and its slot is freed, regardless of how it fails. */
class RunnerTest {
  private static final Moment START = new Moment(0);
  private static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();
  private static final TaskType<String, String> TASK =
      TaskType.of("task", String.class, String.class);

  @RegisterExtension private final Logged logged = Logged.by(FinishDecision.class);

  private final List<Finish> finishes = new ArrayList<>();
  private final HeldJobs heldJobs = Jobs.none();
  private final List<HeldJob> handedBack = new ArrayList<>();
  private final Slots slots = new Slots(new Object(), List.of(new Slots.Pool(1)));
  private Consumer<Runnable> submission = Runnable::run;
  private final Lane lane = new Lane("default", new SameThread(), List.of(TASK.name()), slots);
  private @Nullable OpenTelemetry telemetry;
  private @Nullable Throwable sinkFailure;
  private Ticker alarms = () -> START;
  private RandomGenerator chance = new Random(1);
  private @Nullable HeldJob current;
  private TaskHandler<String, String> handler = (payload, context) -> payload;

  /** Runs a job on the calling thread, whose state the test can check. */
  private final class SameThread implements TaskExecutor {
    @Override
    public String name() {
      return "same";
    }

    @Override
    public int capacity() {
      return 1;
    }

    @Override
    public void execute(Runnable job) {
      submission.accept(job);
    }

    @Override
    public void close() {}
  }

  private final class Sink implements FinishSink {
    @Override
    public void finish(HeldJob ended, Finish finish) {
      failIfRequested();
      finishes.add(finish);
    }

    @Override
    public void handBack(HeldJob returned) {
      failIfRequested();
      handedBack.add(returned);
    }

    private void failIfRequested() {
      if (sinkFailure instanceof Error error) {
        throw error;
      }
    }
  }

  private HeldJob run(JobPolicy policy) {
    Sink sink = new Sink();
    LogContext logs = new LogContext("node", null);
    Meters meters = new Meters(new SimpleMeterRegistry(), null, List.of());
    ContextServices services = Jobs.services(() -> START, heldJobs);
    TaskRegistry tasks =
        new TaskRegistry(List.of(new TaskRegistry.Registered<>(TASK, handler, Optional.empty())));
    Runner runner =
        new Runner(
            logs,
            new Spans(logs, telemetry),
            heldJobs,
            new HandlerCaller(tasks, new JsonCodec(), services, List.of()),
            new TimeoutWatcher(
                "node",
                heldJobs,
                sink,
                Jobs.lostSlots(0),
                HungSettings.DEFAULT,
                Jobs.environment(alarms, chance),
                () -> {}),
            new AttemptReporter(
                heldJobs,
                new FinishDecision(
                    "node",
                    Jobs.outputs(),
                    Jobs.unreadable(),
                    Jobs.environment(() -> START, chance),
                    services.secrets()),
                services.notes(),
                sink,
                Jobs.telemetry(meters, () -> START)),
            () -> START);
    HeldJob heldJob = heldJob(policy);
    current = heldJob;
    assertThat(slots.reserve(1)).isEqualTo(1);
    runner.run(lane, heldJob);
    return heldJob;
  }

  private static HeldJob heldJob(JobPolicy policy) {
    Tenure tenure =
        new Tenure(new UUID(1, 1), () -> START, Duration.ofHours(1), () -> false, START);
    return new HeldJob(Jobs.of(TASK.name(), 1, "\"hello\""), 1, policy, tenure);
  }

  private void assertReleased(HeldJob heldJob) {
    assertThat(heldJob.hasEnded()).isTrue();
    assertThat(slots.free()).isEqualTo(1);
    heldJob.stop(StopReason.HANDED_BACK);
    assertThat(Thread.interrupted())
        .as("the thread is interrupted for a job that is over")
        .isFalse();
  }

  @Test
  void aTimeoutLongerThanAnyClockCountsAsUnlimited() {
    HeldJob heldJob = run(new JobPolicy(null, FOREVER, FOREVER, null, null));

    assertThat(finishes).singleElement().isInstanceOf(Finish.Succeeded.class);
    assertReleased(heldJob);
  }

  @Test
  void aBackoffWithoutACapIsOnlyLong() {
    handler =
        (payload, context) -> {
          throw new IllegalStateException("no");
        };
    RetryPolicy uncapped =
        RetryPolicy.DEFAULT.backoff(Backoff.exponential(Duration.ofSeconds(1), 2, FOREVER));

    HeldJob heldJob = run(new JobPolicy(uncapped, null, null, null, null));

    assertThat(finishes)
        .singleElement()
        .isInstanceOfSatisfying(
            Finish.RetryIn.class,
            retry -> assertThat(retry.delay()).isLessThan(Duration.ofSeconds(2)));
    assertReleased(heldJob);
  }

  @Test
  void whatFailsBeforeTheHandlerFailsTheAttempt() {
    alarms =
        () -> {
          throw new IllegalStateException("no time");
        };

    HeldJob heldJob = run(new JobPolicy(null, Duration.ofSeconds(1), null, null, null));

    assertThat(finishes)
        .singleElement()
        .isInstanceOfSatisfying(
            Finish.RetryIn.class,
            retry -> assertThat(retry.failure().message()).isEqualTo("no time"));
    assertReleased(heldJob);
  }

  @Test
  void aFailureWhoseCodeCannotBeReadIsReported() {
    handler =
        (payload, context) -> {
          throw new TaskFailure("CODE", "no") {
            @Override
            public String code() {
              throw new NoClassDefFoundError("broken");
            }
          };
        };

    HeldJob heldJob = run(JobPolicy.NONE);

    assertThat(finishes)
        .singleElement()
        .isInstanceOfSatisfying(
            Finish.RetryIn.class,
            retry -> assertThat(retry.failure().code()).isEqualTo(FailureCode.TASK_FAILED));
    assertReleased(heldJob);
  }

  @Test
  void anAttemptWhoseRetryDecisionFailsCountsAndIsRetried() {
    handler =
        (payload, context) -> {
          throw new IllegalStateException("no");
        };
    chance =
        () -> {
          throw new IllegalStateException("no chance");
        };

    HeldJob heldJob = run(JobPolicy.NONE);
    HeldJob last = run(new JobPolicy(RetryPolicy.NEVER, null, null, null, null));

    assertThat(finishes).hasExactlyElementsOfTypes(Finish.RetryIn.class, Finish.Dead.class);
    assertReleased(heldJob);
    assertReleased(last);
  }

  private void stop(StopReason reason) {
    if (current != null) {
      current.stop(reason);
    }
  }

  @Test
  void aResultReturnedAfterAStopRequestDoesNotCount() {
    handler =
        (payload, context) -> {
          stop(StopReason.HANDED_BACK);
          return "half done";
        };

    HeldJob heldJob = run(JobPolicy.NONE);

    assertThat(finishes).isEmpty();
    assertThat(handedBack).containsExactly(heldJob);
    assertThat(heldJob.hasRun()).isTrue();
    assertReleased(heldJob);
  }

  @Test
  void aResultReturnedAfterACancelRequestDoesNotCount() {
    handler =
        (payload, context) -> {
          stop(StopReason.CANCELLED);
          return "half done";
        };

    run(JobPolicy.NONE);

    assertThat(finishes).singleElement().isInstanceOf(Finish.Cancelled.class);
  }

  /**
   * Returns a tracer that runs this when a span ends, which is between the return of the handler
   * and its report.
   */
  private static <T> T spans(Class<T> type, Runnable atEnd) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              if (method.getName().equals("end")) {
                atEnd.run();
              }
              Class<?> result = method.getReturnType();
              return result.isInstance(proxy)
                  ? proxy
                  : result.isInterface() ? spans(result, atEnd) : null;
            }));
  }

  @Test
  void aHandlerThatReturnedBeforeAStopRequestHasSucceeded() {
    for (StopReason reason : List.of(StopReason.HANDED_BACK, StopReason.CANCELLED)) {
      telemetry = spans(OpenTelemetry.class, () -> stop(reason));

      HeldJob heldJob = run(JobPolicy.NONE);

      assertThat(heldJob.stopReason()).isEqualTo(reason);
    }

    assertThat(finishes)
        .hasSize(2)
        .allSatisfy(finish -> assertThat(finish).isInstanceOf(Finish.Succeeded.class));
    assertThat(handedBack).isEmpty();
  }

  @Test
  void aHandlerThatFailedBeforeAStopRequestHasFailed() {
    handler =
        (payload, context) -> {
          throw new IllegalStateException("no");
        };
    telemetry = spans(OpenTelemetry.class, () -> stop(StopReason.HANDED_BACK));

    run(JobPolicy.NONE);

    assertThat(finishes).singleElement().isInstanceOf(Finish.RetryIn.class);
  }

  @Test
  void aSpanThatCannotEndFailsNoAttempt() {
    telemetry =
        spans(
            OpenTelemetry.class,
            () -> {
              throw new OutOfMemoryError("no spans");
            });

    HeldJob heldJob = run(JobPolicy.NONE);

    assertThat(finishes).singleElement().isInstanceOf(Finish.Succeeded.class);
    assertReleased(heldJob);
  }

  @Test
  void anEndThatCannotBeReportedIsLeftToTheNextHeartbeat() {
    sinkFailure = new OutOfMemoryError("no reports");

    HeldJob ran = run(JobPolicy.NONE);
    submission =
        job -> {
          throw new OutOfMemoryError("no threads");
        };
    HeldJob refused = run(JobPolicy.NONE);

    assertThat(ran.isUnreported()).isTrue();
    assertThat(ran.hasRun()).isTrue();
    assertReleased(ran);
    assertThat(refused.isUnreported()).isTrue();
    assertThat(refused.hasRun()).isFalse();
    assertReleased(refused);
  }

  @Test
  void anExecutorThatThrowsAndRunsTheJobLaterRunsNothing() {
    List<Runnable> kept = new ArrayList<>();
    submission =
        job -> {
          kept.add(job);
          throw new IllegalStateException("no");
        };

    HeldJob heldJob = run(JobPolicy.NONE);
    kept.forEach(Runnable::run);

    assertThat(finishes)
        .singleElement()
        .isInstanceOfSatisfying(Finish.Later.class, later -> assertThat(later.ran()).isFalse());
    assertThat(heldJob.hasRun()).isFalse();
    assertReleased(heldJob);
  }

  @Test
  void anExecutorThatThrowsAfterItRanTheJobChangesNothing() {
    submission =
        job -> {
          job.run();
          throw new IllegalStateException("no");
        };

    HeldJob heldJob = run(JobPolicy.NONE);

    assertThat(finishes).singleElement().isInstanceOf(Finish.Succeeded.class);
    assertReleased(heldJob);
  }

  @Test
  void aJobThatFailedPermanentlyIsLoggedOnceAsAWarningWithItsStackTrace() {
    handler =
        (payload, context) -> {
          throw new IllegalStateException("no");
        };

    run(JobPolicy.NONE);
    assertThat(logged.events())
        .as("an attempt that is retried")
        .noneMatch(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
        .noneMatch(event -> event.getThrowableProxy() != null);
    logged.events().clear();
    run(new JobPolicy(RetryPolicy.NEVER, null, null, null, null));

    assertThat(logged.events())
        .singleElement()
        .satisfies(event -> {
          assertThat(event.getLevel()).isEqualTo(Level.WARN);
          assertThat(event.getFormattedMessage()).contains("failed permanently", "task");
          assertThat(event.getThrowableProxy().getMessage()).isEqualTo("no");
        });
  }
}
