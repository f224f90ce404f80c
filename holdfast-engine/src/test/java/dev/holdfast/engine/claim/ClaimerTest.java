package dev.holdfast.engine.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.codec.JobPolicy;
import dev.holdfast.engine.codec.JsonCodec;
import dev.holdfast.engine.event.Telemetry;
import dev.holdfast.engine.held.ClaimCalls;
import dev.holdfast.engine.held.CurrentIncarnation;
import dev.holdfast.engine.held.HeldJob;
import dev.holdfast.engine.held.HeldJobs;
import dev.holdfast.engine.held.Lane;
import dev.holdfast.engine.held.LogContext;
import dev.holdfast.engine.held.NodeClaims;
import dev.holdfast.engine.held.SlotQueue;
import dev.holdfast.engine.held.Slots;
import dev.holdfast.engine.held.TaskExecutor;
import dev.holdfast.engine.held.Tenure;
import dev.holdfast.engine.meter.Meters;
import dev.holdfast.engine.role.Environment;
import dev.holdfast.engine.rule.CurrentModes;
import dev.holdfast.engine.rule.QueueRules;
import dev.holdfast.engine.rule.TaskRules;
import dev.holdfast.engine.run.AttemptReporter;
import dev.holdfast.engine.run.ContextServices;
import dev.holdfast.engine.run.FinishDecision;
import dev.holdfast.engine.run.FinishSink;
import dev.holdfast.engine.run.HandlerCaller;
import dev.holdfast.engine.run.HungSettings;
import dev.holdfast.engine.run.Jobs;
import dev.holdfast.engine.run.NodeSecrets;
import dev.holdfast.engine.run.Runner;
import dev.holdfast.engine.run.Spans;
import dev.holdfast.engine.run.TaskRegistry;
import dev.holdfast.engine.run.TimeoutWatcher;
import dev.holdfast.engine.store.ClaimRequest;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Claims;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.time.Moment;
import dev.holdfast.engine.time.Ticker;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ClaimerTest {
  private static final Moment NOW = new Moment(0);
  private static final Ticker TICKER = () -> NOW;
  private static final int SLOTS = 4;
  private static final PollBackoff PACE = PollBackoff.DEFAULT;
  private static final TaskType<String, String> TASK =
      TaskType.of("task", String.class, String.class);

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HeldJobs heldJobs = Jobs.none();
  private final ClaimCalls calls = new ClaimCalls();
  private final Slots slots = new Slots(new Object(), List.of(new Slots.Pool(SLOTS)));
  private final Lane lane =
      new Lane("default", TaskExecutor.of("own", SLOTS, threads), List.of(TASK.name()), slots);
  private final Lane other =
      new Lane("other", TaskExecutor.of("own", SLOTS, threads), List.of(TASK.name()), slots);
  private final List<HeldJob> handedBack = new ArrayList<>();
  private final List<Integer> requested = new ArrayList<>();
  private Supplier<List<ClaimedJob>> reply = List::of;
  private final AtomicInteger wakeups = new AtomicInteger();
  private final AtomicInteger polls = new AtomicInteger();
  private Moment clock = NOW;

  @SuppressWarnings("NullAway.Init")
  private IdlePoll idlePoll;

  @AfterEach
  void stop() {
    threads.shutdownNow();
  }

  private Claimer claimer() {
    Claimer claimer = idleClaimer();
    claimer.expectWork();
    return claimer;
  }

  private Claimer idleClaimer() {
    LogContext logs = new LogContext("node", null);
    Meters meters = new Meters(new SimpleMeterRegistry(), null, List.of());
    TaskRegistry tasks =
        new TaskRegistry(
            List.of(
                new TaskRegistry.Registered<>(
                    TASK,
                    (payload, context) -> {
                      Thread.sleep(Duration.ofHours(1));
                      return payload;
                    },
                    Optional.empty())));
    FinishSink sink =
        new FinishSink() {
          @Override
          public void finish(HeldJob heldJob, Finish finish) {}

          @Override
          public void handBack(HeldJob heldJob) {
            handedBack.add(heldJob);
          }
        };
    Claims claims =
        (Claims)
            Proxy.newProxyInstance(
                Claims.class.getClassLoader(),
                new Class<?>[] {Claims.class},
                (proxy, method, arguments) -> {
                  if (arguments[0] instanceof ClaimRequest request) {
                    requested.add(request.start());
                  }
                  if (method.getName().equals("queuesWithReadyJobs")) {
                    polls.incrementAndGet();
                    return Set.of(lane.queue());
                  }
                  return reply.get();
                });
    Environment environment = Jobs.environment(TICKER, new Random(1));
    Telemetry telemetry = Jobs.telemetry(meters, TICKER);
    ContextServices services = Jobs.services(TICKER, heldJobs);
    Runner runner =
        new Runner(
            logs,
            new Spans(logs, null),
            heldJobs,
            new HandlerCaller(tasks, new JsonCodec(), services, List.of()),
            new TimeoutWatcher(
                "node",
                heldJobs,
                sink,
                Jobs.lostSlots(0),
                HungSettings.DEFAULT,
                environment,
                () -> {}),
            new AttemptReporter(
                heldJobs,
                new FinishDecision(
                    "node", Jobs.outputs(), Jobs.unreadable(), environment, NodeSecrets.none()),
                services.notes(),
                sink,
                telemetry),
            TICKER);
    NodeClaims held =
        new NodeClaims(
            new CurrentIncarnation(
                "node", new Tenure(new UUID(1, 1), TICKER, Duration.ofHours(1), () -> false, NOW)),
            calls,
            heldJobs);
    ClaimRules rules =
        new ClaimRules(
            new QueueRules(), new TaskRules(), new CurrentModes(Modes.FULL), Jobs.unreadable());
    ClaimSender sender =
        new ClaimSender(claims, Set.of(), held, rules, tasks, telemetry, () -> clock);
    idlePoll = new IdlePoll(claims, Set.of(), () -> PACE, environment.random(), () -> {});
    return new Claimer(
        lane,
        sender,
        rules,
        runner,
        new Starter(lane, OptionalInt.empty(), sender, rules, runner, sink, () -> {}),
        idlePoll,
        wakeups::incrementAndGet);
  }

  /** Has a payload, so the handler keeps its slot; a job that cannot be read would free it. */
  private static ClaimedJob job(int number) {
    return Jobs.of(TASK.name(), number, "\"hello\"");
  }

  private static Duration wait(Claimer claimer) {
    return Duration.ofNanos(claimer.tick(NOW).nanos() - NOW.nanos());
  }

  @Test
  void aNodeWithFewQueuesClaimsAtItsStartWithoutAPoll() {
    Claimer claimer = idleClaimer();

    idlePoll.tick(NOW);
    claimer.tick(NOW);

    assertThat(polls).hasValue(0);
    assertThat(requested).hasSize(1);
  }

  @Test
  void aNodeWithManyQueuesPollsFirst() {
    Claimer claimer = idleClaimer();
    IdlePoll shared = idlePoll;
    for (int i = 0; i < 4; i++) {
      shared.join(idleClaimer());
    }

    shared.tick(NOW);

    assertThat(polls).hasValue(1);
    claimer.tick(NOW);
    assertThat(requested).hasSize(1);
  }

  @Test
  void aWakeupReturnsToBurst() {
    Claimer claimer = claimer();
    Duration longest = Duration.ZERO;
    for (int i = 0; i < 10; i++) {
      longest = wait(claimer);
    }
    assertThat(longest).isGreaterThan(Duration.ofSeconds(40));

    claimer.expectWork();

    assertThat(wait(claimer)).isBetween(Duration.ofMillis(400), PACE.burst());
    assertThat(wait(claimer))
        .as("it backs off from there again")
        .isLessThan(PACE.burst().multipliedBy(4));
  }

  @Test
  void aCallWhoseResultCouldNotBeReadIsNotForgotten() {
    Claimer claimer = claimer();
    List<ClaimedJob> jobs = List.of(job(1), job(2));
    reply =
        () ->
            new AbstractList<>() {
              @Override
              public ClaimedJob get(int index) {
                if (index == 1) {
                  throw new OutOfMemoryError("in the middle of a claim");
                }
                return jobs.get(index);
              }

              @Override
              public int size() {
                return jobs.size();
              }
            };

    assertThatThrownBy(() -> claimer.tick(NOW)).isInstanceOf(OutOfMemoryError.class);

    assertThat(calls.look().underWay()).as("no call stays open").isEmpty();
    assertThat(calls.look().oldest()).as("heartbeats still ask about it").isEqualTo(1);
    assertThat(heldJobs.find(jobs.get(0).id())).isNotNull();
    assertThat(slots.free()).as("only the job that runs has a slot").isEqualTo(SLOTS - 1);
  }

  private static HeldJob heldJob(int number) {
    Tenure tenure = new Tenure(new UUID(1, 1), TICKER, Duration.ofHours(1), () -> false, NOW);
    return new HeldJob(job(number), 1, JobPolicy.NONE, tenure);
  }

  /** Ticks a claimer whose slots have all become free and been taken again since the last tick. */
  private List<Integer> tickWhileSlotsTurnOver(Claimer claimer, Moment now) {
    requested.clear();
    for (int i = 0; i < SLOTS; i++) {
      lane.release();
    }
    assertThat(slots.reserve(SLOTS)).isEqualTo(SLOTS);
    claimer.expectWork();
    claimer.tick(now);
    return requested;
  }

  @Test
  void jobsAreClaimedForSlotsThatBecomeFreeUnlessStepsFollowEachOtherInThem() {
    Claimer claimer = claimer();
    reply =
        () -> {
          clock = NOW.plus(Duration.ofMillis(10)); // The claim takes this long.
          return IntStream.rangeClosed(1, SLOTS).mapToObj(ClaimerTest::job).toList();
        };
    claimer.tick(NOW);
    reply = List::of;
    assertThat(tickWhileSlotsTurnOver(claimer, NOW.plus(Duration.ofMillis(20))))
        .as("two claims take as long as the slots were occupied")
        .containsExactly(SLOTS);

    lane.slotsKeptFor(ended -> true);
    assertThat(lane.keepsSlotOf(heldJob(9))).isTrue();

    assertThat(tickWhileSlotsTurnOver(claimer, NOW.plus(Duration.ofMillis(40)))).isEmpty();
    assertThat(tickWhileSlotsTurnOver(claimer, NOW.plus(Duration.ofMillis(60))))
        .as("no step has followed another one since")
        .containsExactly(SLOTS);
  }

  @Test
  void aStoppedClaimerHandsBackTheJobsThatWaitForASlot() {
    Claimer claimer = claimer();
    assertThat(slots.reserve(SLOTS)).isEqualTo(SLOTS);
    HeldJob waiting = heldJob(1);
    lane.runSoon(waiting, NOW);

    claimer.stop();

    assertThat(handedBack).containsExactly(waiting);
    assertThat(lane.queued().size()).isZero();
  }

  @Test
  void aJobThatHasWaitedTooLongForASlotIsHandedBackAlthoughNothingElseIsToBeDone() {
    Claimer claimer = claimer();
    assertThat(slots.reserve(SLOTS)).isEqualTo(SLOTS);
    HeldJob waiting = heldJob(1);
    lane.runSoon(waiting, NOW);

    Moment next = claimer.tick(NOW);
    assertThat(handedBack).isEmpty();
    assertThat(next).isLessThanOrEqualTo(NOW.plus(SlotQueue.LONGEST));
    claimer.tick(NOW.plus(SlotQueue.LONGEST));

    assertThat(handedBack).containsExactly(waiting);
  }

  /** Another lane takes all slots, which both share, after this one has found nothing for long. */
  private Claimer idleWhileAnotherLaneHasAllSlots() {
    Claimer claimer = claimer();
    while (!claimer.tick(NOW).equals(Moment.NEVER)) {
      assertThat(lane.queued().size()).isZero();
    }
    assertThat(other.slots().reserve(SLOTS)).isEqualTo(SLOTS);
    wakeups.set(0);
    return claimer;
  }

  @Test
  void aClaimerThatSleepsIsWokenForAJobThatWaitsAndHandsItBackInTime() {
    Claimer claimer = idleWhileAnotherLaneHasAllSlots();
    HeldJob waiting = heldJob(1);
    lane.runSoon(waiting, NOW);
    assertThat(wakeups).hasValue(1);

    Moment next = claimer.tick(NOW);
    while (next.isBefore(NOW.plus(SlotQueue.LONGEST))) {
      assertThat(handedBack).isEmpty();
      lane.runSoon(heldJob(2), next);
      next = claimer.tick(next);
    }
    assertThat(next).isEqualTo(NOW.plus(SlotQueue.LONGEST));
    claimer.tick(next);

    assertThat(handedBack).first().isSameAs(waiting);
    assertThat(wakeups).as("it was awake").hasValue(1);
  }

  @Test
  void aJobThatWaitsStartsInASlotThatAnotherLaneReleases() {
    Claimer claimer = idleWhileAnotherLaneHasAllSlots();
    lane.runSoon(heldJob(1), NOW);
    Moment next = claimer.tick(NOW);

    other.release();
    assertThat(slots.free()).isEqualTo(1);
    requested.clear();
    claimer.tick(next);

    assertThat(lane.queued().size()).isZero();
    assertThat(slots.free()).isZero();
    assertThat(requested).as("the slot is not used for another job").isEmpty();
    assertThat(handedBack).isEmpty();
  }

  @Test
  void aClaimerThatSleepsLendsNoSlots() {
    Claimer claimer = claimer();
    reply =
        () -> {
          lane.lends(true); // As while attempts end quickly.
          return List.of();
        };
    while (!claimer.tick(NOW).equals(Moment.NEVER)) {
      assertThat(lane.queued().size()).isZero();
    }
    assertThat(slots.reserve(1)).isEqualTo(1);
    HeldJob step = heldJob(1);
    step.occupies(lane);

    step.keepSlot();

    assertThat(slots.free()).isEqualTo(SLOTS - 1);
  }
}
