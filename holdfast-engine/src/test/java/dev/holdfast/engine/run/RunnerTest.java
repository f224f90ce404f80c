package dev.holdfast.engine.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.task.Backoff;
import dev.holdfast.api.task.FailureCode;
import dev.holdfast.api.task.RetryPolicy;
import dev.holdfast.api.task.TaskFailure;
import dev.holdfast.api.task.TaskHandler;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.codec.JobPolicy;
import dev.holdfast.engine.codec.JsonCodec;
import dev.holdfast.engine.live.Tenure;
import dev.holdfast.engine.meter.Meters;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.time.Moment;
import dev.holdfast.engine.time.Ticker;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** Whatever goes wrong with an attempt, it is reported, and its slot is free again. */
class RunnerTest {
  private static final Moment BEGIN = new Moment(0);
  private static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();
  private static final TaskType<String, String> TASK =
      TaskType.of("task", String.class, String.class);

  private final List<Finish> finishes = new ArrayList<>();
  private final Holdings holdings = new Holdings(new SlowStart(Duration.ofMinutes(1)), Ticker.system());
  private final Slots slots = new Slots(new Object(), List.of(new Slots.Pool(1)));
  private final Lane lane = new Lane("default", new SameThread(), List.of(TASK.name()), slots);
  private Ticker alarms = () -> BEGIN;
  private RandomGenerator chance = new Random(1);
  private TaskHandler<String, String> handler = (payload, context) -> payload;

  /** Runs a job at once, where the test can see what becomes of the thread. */
  private static final class SameThread implements TaskExecutor {
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
      job.run();
    }

    @Override
    public void close() {}
  }

  private final class Sink implements FinishSink {
    @Override
    public void finish(Holding ended, Finish finish) {
      finishes.add(finish);
    }

    @Override
    public void handBack(Holding unspent) {
      throw new AssertionError("Nothing was to be handed back");
    }
  }

  private Holding run(JobPolicy policy) {
    Sink sink = new Sink();
    LogContext logs = new LogContext("node", null);
    Runner runner =
        new Runner(
            new Runner.Parts(
                logs,
                new Spans(logs, null),
                new TaskRegistry(
                    List.of(new TaskRegistry.Registered<>(TASK, handler, Optional.empty()))),
                new JsonCodec(),
                holdings,
                sink,
                new Timekeeper("node", holdings, sink, alarms, chance),
                new Meters(new SimpleMeterRegistry(), null),
                () -> BEGIN,
                chance,
                1 << 20));
    Holding holding = holding(policy);
    assertThat(slots.reserve(1)).isEqualTo(1);
    runner.run(lane, holding);
    return holding;
  }

  private static Holding holding(JobPolicy policy) {
    Tenure tenure =
        new Tenure(new UUID(1, 1), () -> BEGIN, Duration.ofHours(1), () -> false, BEGIN);
    return new Holding(Jobs.of(TASK.name(), 1, "\"hello\""), 1, policy, tenure);
  }

  private void assertLetGo(Holding holding) {
    assertThat(holding.hasEnded()).isTrue();
    assertThat(slots.free()).isEqualTo(1);
    holding.stop(StopReason.HANDED_BACK);
    assertThat(Thread.interrupted())
        .as("the thread is interrupted for a job that is over")
        .isFalse();
  }

  @Test
  void aTimeoutLongerThanAnyClockIsNoTimeout() {
    Holding holding = run(new JobPolicy(null, FOREVER, FOREVER, null, null));

    assertThat(finishes).singleElement().isInstanceOf(Finish.Succeeded.class);
    assertLetGo(holding);
  }

  @Test
  void aWaitWithoutACapIsJustLong() {
    handler =
        (payload, context) -> {
          throw new IllegalStateException("no");
        };
    RetryPolicy uncapped =
        RetryPolicy.DEFAULT.backoff(Backoff.exponential(Duration.ofSeconds(1), 2, FOREVER));

    Holding holding = run(new JobPolicy(uncapped, null, null, null, null));

    assertThat(finishes)
        .singleElement()
        .isInstanceOfSatisfying(
            Finish.RetryIn.class,
            retry -> assertThat(retry.delay()).isLessThan(Duration.ofSeconds(2)));
    assertLetGo(holding);
  }

  @Test
  void whatFailsBeforeTheHandlerFailsTheAttempt() {
    alarms =
        () -> {
          throw new IllegalStateException("no time");
        };

    Holding holding = run(new JobPolicy(null, Duration.ofSeconds(1), null, null, null));

    assertThat(finishes)
        .singleElement()
        .isInstanceOfSatisfying(
            Finish.RetryIn.class,
            retry -> assertThat(retry.failure().message()).isEqualTo("no time"));
    assertLetGo(holding);
  }

  @Test
  void aFailureWhoseCodeCannotBeReadIsReportedAllTheSame() {
    handler =
        (payload, context) -> {
          throw new TaskFailure("CODE", "no") {
            @Override
            public String code() {
              throw new NoClassDefFoundError("broken");
            }
          };
        };

    Holding holding = run(JobPolicy.NONE);

    assertThat(finishes)
        .singleElement()
        .isInstanceOfSatisfying(
            Finish.RetryIn.class,
            retry -> assertThat(retry.failure().code()).isEqualTo(FailureCode.TASK_FAILED));
    assertLetGo(holding);
  }

  @Test
  void anAttemptThatCannotBeJudgedCountsAndIsTriedAgain() {
    handler =
        (payload, context) -> {
          throw new IllegalStateException("no");
        };
    chance =
        () -> {
          throw new IllegalStateException("no chance");
        };

    Holding holding = run(JobPolicy.NONE);
    Holding last = run(new JobPolicy(RetryPolicy.NEVER, null, null, null, null));

    assertThat(finishes).hasExactlyElementsOfTypes(Finish.RetryIn.class, Finish.Dead.class);
    assertLetGo(holding);
    assertLetGo(last);
  }
}
