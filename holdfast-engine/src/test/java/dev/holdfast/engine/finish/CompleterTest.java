package dev.holdfast.engine.finish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import dev.holdfast.api.StoreException;
import dev.holdfast.api.StoreException.Outcome;
import dev.holdfast.engine.codec.JobPolicy;
import dev.holdfast.engine.held.CurrentIncarnation;
import dev.holdfast.engine.held.HeldJob;
import dev.holdfast.engine.held.HeldJobs;
import dev.holdfast.engine.held.Tenure;
import dev.holdfast.engine.meter.Meters;
import dev.holdfast.engine.node.Logged;
import dev.holdfast.engine.notify.ClusterCoordinator;
import dev.holdfast.engine.notify.SignalBus;
import dev.holdfast.engine.query.AwaitedJobs;
import dev.holdfast.engine.run.Jobs;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Claims;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.Outcomes;
import dev.holdfast.engine.store.Portions;
import dev.holdfast.engine.time.Moment;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Reports are written although some groups or single reports cannot be. */
class CompleterTest {
  private static final Moment START = new Moment(0);
  private static final String MEGABYTE = "x".repeat(1 << 20);

  @RegisterExtension final Logged alarms = Logged.by(FinishAlarm.class);

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final Meters meters = new Meters(registry, null, List.of());
  private final HeldJobs heldJobs = Jobs.none();
  private final Tenure tenure =
      new Tenure(new UUID(1, 1), () -> START, Duration.ofDays(1), () -> false, START);
  private final List<Integer> groups = new ArrayList<>();
  private final Set<Long> written = new HashSet<>();
  private Predicate<List<? extends Finish>> fails = group -> false;
  private BiConsumer<ClaimedJob, Finish> follower = (job, finish) -> {};
  private Moment now = START;
  private int lastNumber;

  private final Completer completer = completer();

  private Completer completer() {
    SignalBus bus = new SignalBus(ClusterCoordinator.none());
    return new Completer(
        new Outcomes() {
          @Override
          public List<Result> finish(UUID incarnation, List<? extends Finish> finishes) {
            return store(finishes);
          }

          @Override
          public Set<ClaimId> note(UUID incarnation, List<Note> notes) {
            throw new UnsupportedOperationException();
          }
        },
        unused(Claims.class),
        new CurrentIncarnation("node", tenure),
        new ConfirmedOutcomes(
            heldJobs,
            Jobs.telemetry(meters, () -> now),
            bus,
            new AwaitedJobs(),
            (job, finish) -> follower.accept(job, finish)),
        meters,
        () -> {});
  }

  private static <T> T unused(Class<T> type) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              throw new UnsupportedOperationException(method.getName());
            }));
  }

  private List<Outcomes.Result> store(List<? extends Finish> finishes) {
    groups.add(finishes.size());
    if (fails.test(finishes)) {
      throw new StoreException(Outcome.UNKNOWN, "The connection broke.", null);
    }
    finishes.forEach(finish -> written.add(finish.claim().token()));
    return finishes.stream().map(finish -> Outcomes.Result.WRITTEN).toList();
  }

  private void end(int count, String result) {
    for (int i = 0; i < count; i++) {
      completer.finish(heldJob(), new Finish.Succeeded(lastHeld().claim(), result, null));
    }
  }

  private HeldJob last;

  private HeldJob heldJob() {
    last = new HeldJob(Jobs.of("task", ++lastNumber), 1, JobPolicy.NONE, tenure);
    heldJobs.add(last);
    return last;
  }

  private HeldJob lastHeld() {
    return last;
  }

  /** Ticks the completer whenever it is due, for this time. */
  private void run(Duration time) {
    Moment end = now.plus(time);
    while (true) {
      Moment next = completer.tick(now);
      if (end.isBefore(next)) {
        now = end;
        return;
      }
      now = now.isBefore(next) ? next : now;
    }
  }

  private static long size(List<? extends Finish> finishes) {
    return finishes.stream()
        .mapToLong(finish -> ((Finish.Succeeded) finish).result().length())
        .sum();
  }

  @Test
  void aGroupIsBoundedByNumber() {
    end(1_500, "1");
    run(Duration.ofSeconds(1));

    assertThat(groups).containsExactly(1_000, 500);
  }

  @Test
  void aGroupIsBoundedBySize() {
    fails = group -> size(group) > Portions.LARGEST;
    end(50, MEGABYTE);
    run(Duration.ofSeconds(1));

    assertThat(written).hasSize(50);
    assertThat(groups).allMatch(size -> size * (long) MEGABYTE.length() <= Portions.LARGEST);
  }

  /** Halving works for any failure: here each statement of more than 3 MB breaks its connection. */
  @Test
  void aGroupThatFailsRepeatedlyIsHalvedUntilItSucceeds() {
    fails = group -> size(group) > 3L * MEGABYTE.length();
    end(50, MEGABYTE);
    run(Duration.ofMinutes(2));

    assertThat(written).hasSize(50);
    assertThat(completer.isIdle()).isTrue();
  }

  @Test
  void groupsGrowAgainAfterAnOutage() {
    fails = group -> true;
    end(2_000, "1");
    run(Duration.ofMinutes(5));
    fails = group -> false;
    groups.clear();
    run(Duration.ofSeconds(10));

    assertThat(written).hasSize(2_000);
    assertThat(groups).hasSizeLessThan(120);
  }

  @Test
  void aReportThatCannotBeWrittenDelaysNoOther() {
    fails = group -> group.stream().anyMatch(finish -> finish.claim().token() == 500);
    end(1_000, "1");
    run(Duration.ofMinutes(2));
    assertThat(written).hasSize(999).doesNotContain(500L);

    groups.clear();
    end(100, "1");
    run(Duration.ofSeconds(10));
    assertThat(written).hasSize(1_099);
    assertThat(groups).contains(100);

    fails = group -> false;
    run(Duration.ofMinutes(6));
    assertThat(written).contains(500L);
    assertThat(completer.isIdle()).isTrue();
  }

  @Test
  void reportsThatArriveDuringAnOutageDoNotShortenThePause() {
    fails = group -> true;
    end(1, "1");
    Moment again = completer.tick(now);
    end(1, "1");

    assertThat(completer.tick(now)).isEqualTo(again);
    assertThat(groups).hasSize(1);
  }

  @Test
  void anAlarmIsRaisedWhenNothingCanBeWritten() {
    fails = group -> true;
    end(3, "1");
    run(Duration.ofSeconds(50));
    assertThat(completer.isStalled()).isFalse();
    assertThat(alarms.events()).isEmpty();

    run(Duration.ofSeconds(20));
    assertThat(completer.isStalled()).isTrue();
    assertThat(alarms.events()).extracting(ILoggingEvent::getLevel).containsExactly(Level.ERROR);
    assertThat(alarms.messages().getFirst())
        .contains(new UUID(1, 1).toString(), "3 reports", "The connection broke.");
    assertThat(registry.get("holdfast.reports.waiting").gauge().value()).isEqualTo(3);
    assertThat(registry.get("holdfast.reports.oldest").gauge().value()).isGreaterThanOrEqualTo(60);

    run(Duration.ofMinutes(10));
    assertThat(alarms.events()).hasSizeBetween(5, 12);

    fails = group -> false;
    run(Duration.ofMinutes(6));
    assertThat(completer.isStalled()).isFalse();
    assertThat(registry.get("holdfast.reports.waiting").gauge().value()).isZero();
    assertThat(registry.get("holdfast.reports.oldest").gauge().value()).isZero();
  }

  @Test
  void aReceiptThatFailsDoesNotRepeatTheWrite() {
    follower =
        (job, finish) -> {
          throw new IllegalStateException("a meter that throws");
        };
    end(3, "1");
    run(Duration.ofMinutes(1));

    assertThat(groups).containsExactly(3);
    assertThat(completer.isIdle()).isTrue();
  }

  @Test
  void waitingReportsAreBoundedByNumber() throws Exception {
    assertBounded(WaitingReports.MOST, "1");
  }

  @Test
  void waitingReportsAreBoundedBySize() throws Exception {
    assertBounded((int) (WaitingReports.LARGEST / MEGABYTE.length()), MEGABYTE);
  }

  /** The thread of an ended attempt keeps its slot until there is room for its report. */
  private void assertBounded(int most, String result) throws Exception {
    fails = group -> true;
    end(most, result);
    Thread one = Thread.ofPlatform().daemon().start(() -> end(1, result));
    await().until(() -> one.getState() == Thread.State.WAITING);
    one.interrupt();
    completer.tick(now);
    one.join(Duration.ofSeconds(10));
    assertThat(one.isAlive()).isFalse();

    fails = group -> false;
    run(Duration.ofMinutes(1));
    assertThat(written).hasSize(most + 1);
  }
}
