package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.f4b6a3.uuid.UuidCreator;
import dev.holdfast.api.StoreException;
import dev.holdfast.api.StoreException.Outcome;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.policy.CrashPolicy;
import dev.holdfast.engine.codec.JobPolicy;
import dev.holdfast.engine.codec.JobPolicyJson;
import dev.holdfast.engine.codec.JsonCodec;
import dev.holdfast.engine.event.LifecycleEvents;
import dev.holdfast.engine.event.Telemetry;
import dev.holdfast.engine.finish.ConfirmedOutcomes;
import dev.holdfast.engine.held.HeldJobs;
import dev.holdfast.engine.held.LogContext;
import dev.holdfast.engine.held.SlowStart;
import dev.holdfast.engine.liveness.AwaitedPolicies;
import dev.holdfast.engine.liveness.OrphanDecider;
import dev.holdfast.engine.liveness.Recoverer;
import dev.holdfast.engine.liveness.Sweeper;
import dev.holdfast.engine.liveness.WatchedNodes;
import dev.holdfast.engine.meter.Meters;
import dev.holdfast.engine.meter.RoleSpans;
import dev.holdfast.engine.notify.ClusterCoordinator;
import dev.holdfast.engine.notify.SignalBus;
import dev.holdfast.engine.query.AwaitedJobs;
import dev.holdfast.engine.role.Driver;
import dev.holdfast.engine.role.Environment;
import dev.holdfast.engine.run.TaskRegistry;
import dev.holdfast.engine.store.ClaimRequest;
import dev.holdfast.engine.store.NodeSnapshot;
import dev.holdfast.engine.store.NodeStore.Advice;
import dev.holdfast.engine.store.NodeStore.NodeRegistration;
import dev.holdfast.engine.store.NodeStore.Timeouts;
import dev.holdfast.engine.store.Recovery.Holder;
import dev.holdfast.engine.store.Recovery.Scope;
import dev.holdfast.engine.store.Store;
import dev.holdfast.engine.time.Moment;
import dev.holdfast.engine.time.Ticker;
import dev.holdfast.tck.contract.JobDraft;
import dev.holdfast.tck.fault.StoreMethod;
import dev.holdfast.tck.simulation.Interposed;
import dev.holdfast.tck.simulation.Interposed.Between;
import dev.holdfast.testkit.memory.InMemoryStore;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** When a sweeper looks and what it concludes, on a clock that the test controls. */
class SweeperTest {
  private static final Duration CLAIMED = Duration.ofSeconds(20);
  private static final Duration RUNNING = Duration.ofSeconds(60);
  private static final Duration INTERVAL = Duration.ofSeconds(30);
  private static final Duration POLICY_AWAITED = Duration.ofMinutes(5);
  private static final UUID SELF = UuidCreator.getTimeOrderedEpoch();

  private final Store store = new InMemoryStore(InstantSource.system());
  private final ManualTicker ticker = new ManualTicker();
  private final List<Moment> wakes = new ArrayList<>();

  /** A clock that the test moves. */
  private static final class ManualTicker implements Ticker {
    private Moment now = at(1_000);

    @Override
    public Moment now() {
      return now;
    }

    @Override
    public Instant timeOfDay() {
      return Instant.EPOCH;
    }

    void pass(Duration time) {
      now = now.plus(time);
    }
  }

  private static Moment at(long seconds) {
    return new Moment(Duration.ofSeconds(seconds).toNanos());
  }

  private Sweeper sweeper(Store on, long seed) {
    Meters meters = new Meters(new SimpleMeterRegistry(), null, List.of());
    SignalBus bus = new SignalBus(ClusterCoordinator.none());
    Telemetry telemetry =
        new Telemetry(
            meters,
            RoleSpans.NONE,
            new LifecycleEvents(new LogContext("n", null), List.of(), 10, meters, ticker));
    OrphanDecider decider =
        new OrphanDecider(
            new TaskRegistry(List.of()),
            on.queries(),
            new JsonCodec(),
            new AwaitedPolicies(on.nodes(), ticker, POLICY_AWAITED));
    ConfirmedOutcomes confirmed =
        new ConfirmedOutcomes(
            new HeldJobs(new SlowStart(RUNNING), ticker),
            telemetry,
            bus,
            new AwaitedJobs(),
            (job, finish) -> {});
    return new Sweeper(
        new WatchedNodes(on.nodes(), () -> SELF, bus, telemetry),
        INTERVAL,
        new Recoverer(on.recovery(), Scope.ALL, decider, bus, confirmed, telemetry),
        telemetry,
        new Environment(
            Driver.threads(ticker), ticker, UuidCreator::getTimeOrderedEpoch, new Random(seed)),
        () -> wakes.add(ticker.now()));
  }

  private Sweeper sweeper() {
    return sweeper(store, 1);
  }

  private UUID join(String id) {
    return join(id, Advice.NONE);
  }

  private UUID join(String id, Advice advice) {
    UUID incarnation = UuidCreator.getTimeOrderedEpoch();
    store
        .nodes()
        .register(
            new NodeRegistration(
                incarnation,
                id,
                null,
                "h",
                1,
                "v",
                new Timeouts(CLAIMED, RUNNING),
                Set.of("default"),
                Set.of("t"),
                10,
                null,
                Set.of(),
                Set.of(),
                advice));
    return incarnation;
  }

  private JobId hold(UUID incarnation, boolean started) {
    return hold(incarnation, started, CrashPolicy.DEFAULT);
  }

  private JobId hold(UUID incarnation, boolean started, CrashPolicy onCrash) {
    JobId id = new JobId(UuidCreator.getTimeOrderedEpoch());
    String policy = JobPolicyJson.write(new JobPolicy(null, null, null, null, onCrash));
    store
        .intake()
        .enqueue(
            List.of(
                new JobDraft()
                    .id(id)
                    .queue("default")
                    .task("t")
                    .policy(Objects.requireNonNull(policy))
                    .build()));
    assertThat(
            store
                .claims()
                .claim(
                    new ClaimRequest(
                        incarnation,
                        1,
                        "default",
                        List.of("t"),
                        started ? 1 : 0,
                        started ? 0 : 1,
                        null,
                        ClaimRequest.Suspects.NONE,
                        Set.of())))
        .hasSize(1);
    return id;
  }

  private JobState stateOf(JobId id) {
    return Objects.requireNonNull(store.queries().find(Set.of(id)).get(id)).state();
  }

  private boolean isAlive(UUID incarnation) {
    return store.nodes().list().stream()
        .filter(status -> status.registration().incarnation().equals(incarnation))
        .anyMatch(NodeSnapshot::alive);
  }

  private Moment tick(Sweeper sweeper) {
    return sweeper.tick(ticker.now());
  }

  /** Advances the clock, with a tick whenever the sweeper is due. */
  private void sweepFor(Sweeper sweeper, Duration time) {
    Moment end = ticker.now().plus(time);
    Moment next = tick(sweeper);
    while (!end.isBefore(next)) {
      ticker.pass(ticker.now().until(next));
      next = tick(sweeper);
    }
    ticker.pass(ticker.now().until(end));
  }

  @Test
  void aSilentNodeLosesPrefetchedJobsAfterTheClaimedTimeoutAndRunningJobsAfterItsTimeout() {
    UUID silent = join("silent");
    JobId running = hold(silent, true);
    JobId claimed = hold(silent, false);
    Sweeper sweeper = sweeper();

    sweepFor(sweeper, CLAIMED.minusMillis(1));
    assertThat(stateOf(claimed)).isEqualTo(JobState.CLAIMED);

    sweepFor(sweeper, Duration.ofMillis(1));
    assertThat(stateOf(claimed)).isEqualTo(JobState.READY);
    assertThat(isAlive(silent)).isTrue();

    sweepFor(sweeper, RUNNING.minus(CLAIMED).minusMillis(1));
    assertThat(isAlive(silent)).as("before its own timeout").isTrue();
    assertThat(stateOf(running)).isEqualTo(JobState.RUNNING);

    sweepFor(sweeper, Duration.ofMillis(1));
    assertThat(isAlive(silent)).isFalse();
    assertThat(stateOf(running)).isEqualTo(JobState.READY);
  }

  @Test
  void recoveryHappensWhenTheTimeoutEndsAlthoughTheNextSweepIsLater() {
    UUID silent = join("silent");
    JobId job = hold(silent, true);
    Sweeper sweeper = sweeper();
    sweepFor(sweeper, Duration.ofSeconds(15));
    store.nodes().beat(silent, 1);
    Moment beaten = ticker.now();

    sweepFor(sweeper, RUNNING.plusSeconds(1));

    // At most a second until the heartbeat is seen, and no delay after the timeout.
    assertThat(beaten.until(ticker.now())).isEqualTo(RUNNING.plusSeconds(1));
    assertThat(stateOf(job)).isEqualTo(JobState.READY);
  }

  @Test
  void aTimeoutThatEndsDuringALookIsLookedAtAgainAtOnce() {
    UUID silent = join("silent");
    hold(silent, true);
    boolean[] slow = {false};
    Between slowly =
        call -> {
          if (slow[0] && call.is(StoreMethod.LOOK)) {
            ticker.pass(Duration.ofMillis(10));
          }
          return call.proceed();
        };
    Sweeper sweeper = sweeper(Interposed.on(store, slowly), 1);
    sweepFor(sweeper, RUNNING.minusMillis(1));
    slow[0] = true;

    Moment next = tick(sweeper);

    assertThat(isAlive(silent)).isTrue();
    assertThat(ticker.now().isBefore(next)).as("it is over by now").isFalse();
    tick(sweeper);
    assertThat(isAlive(silent)).isFalse();
  }

  @Test
  void nodesThatHoldJobsAreWatchedCloselyAndOthersAreNot() {
    UUID other = join("other");
    Sweeper sweeper = sweeper();

    assertThat(ticker.now().until(tick(sweeper))).as("at its timeout").isEqualTo(CLAIMED);
    store.nodes().beat(other, 0);
    ticker.pass(CLAIMED);
    tick(sweeper);
    JobId job = hold(other, true);
    ticker.pass(Duration.ofSeconds(10));
    assertThat(ticker.now().until(tick(sweeper))).isEqualTo(Duration.ofSeconds(1));
    assertThat(stateOf(job)).isEqualTo(JobState.RUNNING);
  }

  @Test
  void anEnqueueSignalCausesOneLookAndMoreWhileItIsRecent() {
    join("other");
    Sweeper sweeper = sweeper();
    tick(sweeper);
    sweeper.expectWork();
    assertThat(wakes).as("it has just looked").isEmpty();

    ticker.pass(Duration.ofSeconds(5));
    sweeper.expectWork();
    sweeper.expectWork();
    assertThat(wakes).hasSize(1);
    assertThat(ticker.now().until(tick(sweeper))).isEqualTo(Duration.ofSeconds(1));
    ticker.pass(Duration.ofSeconds(5));
    assertThat(ticker.now().until(tick(sweeper))).isGreaterThan(Duration.ofSeconds(1));
  }

  @Test
  void aNodeWithoutOtherNodesIsNotWokenByEnqueues() {
    Sweeper sweeper = sweeper();
    tick(sweeper);
    ticker.pass(Duration.ofSeconds(5));

    sweeper.expectWork();

    assertThat(wakes).isEmpty();
    assertThat(ticker.now().until(tick(sweeper))).isEqualTo(INTERVAL.minusSeconds(5));
  }

  @Test
  void aNodeThatHasJustJoinedIsSeenBeforeTheNextSweep() {
    Sweeper sweeper = sweeper();
    tick(sweeper);
    ticker.pass(Duration.ofSeconds(5));
    UUID other = join("other");
    hold(other, true);

    sweeper.expectNode();

    assertThat(wakes).hasSize(1);
    assertThat(ticker.now().until(tick(sweeper))).isEqualTo(Duration.ofSeconds(1));
    sweepFor(sweeper, RUNNING.minusSeconds(1));
    assertThat(isAlive(other)).isTrue();
    sweepFor(sweeper, Duration.ofSeconds(1));
    assertThat(isAlive(other)).as("its timeout after it was first seen").isFalse();
  }

  @Test
  void aNodeThatJoinsRightAfterALookIsSeenBeforeTheNextSweep() {
    Sweeper sweeper = sweeper();
    tick(sweeper);
    join("other");

    sweeper.expectNode();

    assertThat(wakes).hasSize(1);
    assertThat(ticker.now().until(tick(sweeper))).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void anOutageOfTheSweepersReadsIsNoSilence() {
    UUID other = join("other");
    JobId job = hold(other, true);
    boolean[] away = {false};
    Sweeper sweeper =
        sweeper(
            Interposed.on(
                store,
                call -> {
                  if (away[0] && call.is(StoreMethod.LOOK)) {
                    throw new StoreException(Outcome.RETRYABLE, "The database is away.", null);
                  }
                  return call.proceed();
                }),
            1);
    sweepFor(sweeper, Duration.ofSeconds(5));
    away[0] = true;
    sweepFor(sweeper, RUNNING);
    away[0] = false;

    tick(sweeper);
    assertThat(isAlive(other)).isTrue();
    sweepFor(sweeper, RUNNING.minusMillis(1));
    assertThat(isAlive(other)).as("it could not have sent a heartbeat before").isTrue();
    assertThat(stateOf(job)).isEqualTo(JobState.RUNNING);
    sweepFor(sweeper, Duration.ofMillis(1));
    assertThat(isAlive(other)).isFalse();
  }

  @Test
  void aPausedSweeperStartsCountingAgain() {
    UUID other = join("other");
    hold(other, true);
    Sweeper sweeper = sweeper();
    tick(sweeper);
    ticker.pass(Duration.ofMinutes(10));

    tick(sweeper);

    assertThat(isAlive(other)).isTrue();
  }

  @Test
  void aLongSweepForgetsNothing() {
    UUID first = join("first");
    hold(first, true);
    UUID second = join("second");
    Between slow =
        call -> {
          if (call.is(StoreMethod.RECOVER)) {
            ticker.pass(INTERVAL);
          }
          if (call.is(StoreMethod.ORPHANS)) {
            ticker.pass(INTERVAL);
          }
          return call.proceed();
        };
    Sweeper sweeper = sweeper(Interposed.on(store, slow), 1);
    tick(sweeper);
    ticker.pass(Duration.ofSeconds(55));
    store.nodes().beat(second, 0);
    tick(sweeper);
    ticker.pass(Duration.ofSeconds(5));
    Moment before = ticker.now();
    tick(sweeper);
    assertThat(isAlive(first)).isFalse();
    assertThat(before.until(ticker.now())).isGreaterThanOrEqualTo(INTERVAL.multipliedBy(2));

    tick(sweeper);

    assertThat(isAlive(second)).as("it was silent throughout the sweep").isFalse();
  }

  @Test
  void aJobThatItsTaskDecidesAboutWaitsForAPolicyAndIsThenDeadLettered() {
    JobId job = crashedAndDecidedByTask();
    Sweeper sweeper = sweeper();

    sweepFor(sweeper, POLICY_AWAITED.minusMillis(1));
    assertThat(stateOf(job)).isEqualTo(JobState.RUNNING);

    sweepFor(sweeper, Duration.ofMillis(1));
    assertThat(stateOf(job)).isEqualTo(JobState.FAILED);
  }

  @Test
  void theWaitForAPolicyStartsAgainWhenTheNodeThatHasOneIsGone() {
    JobId job = crashedAndDecidedByTask();
    Sweeper sweeper = sweeper();
    sweepFor(sweeper, POLICY_AWAITED.minus(INTERVAL));
    UUID adviser = join("adviser", new Advice(Set.of("t"), null));
    for (Duration waited = Duration.ZERO;
        waited.compareTo(POLICY_AWAITED.multipliedBy(2)) < 0;
        waited = waited.plus(CLAIMED)) {
      sweepFor(sweeper, CLAIMED);
      store.nodes().beat(adviser, 0);
    }
    assertThat(stateOf(job)).as("left to the node that has a policy").isEqualTo(JobState.RUNNING);

    store.nodes().leave(adviser);
    sweepFor(sweeper, POLICY_AWAITED.minusMillis(1));
    assertThat(stateOf(job)).isEqualTo(JobState.RUNNING);
    // The next sweep notices both the start and the end of the wait.
    sweepFor(sweeper, INTERVAL.multipliedBy(2));
    assertThat(stateOf(job)).isEqualTo(JobState.FAILED);
  }

  /** Adds a job that ran on a dead node and whose crash policy is decided by its task. */
  private JobId crashedAndDecidedByTask() {
    UUID dead = join("dead");
    JobId job = hold(dead, true, CrashPolicy.decidedByTask());
    store.nodes().markDead(dead, 0, RUNNING);
    return job;
  }

  @Test
  void severalSweepersRecoverInDifferentOrders() {
    for (int i = 0; i < 8; i++) {
      UUID dead = join("dead-" + i);
      hold(dead, true);
      store.nodes().markDead(dead, 0, RUNNING);
    }
    List<List<UUID>> orders = new ArrayList<>();
    for (long seed = 1; seed <= 2; seed++) {
      List<UUID> order = new ArrayList<>();
      tick(
          sweeper(
              Interposed.on(
                  store,
                  call -> {
                    if (call.is(StoreMethod.ORPHANS)
                        && call.arguments().get(0) instanceof Holder holder) {
                      order.add(holder.incarnation());
                      return List.of(); // Left to the other sweeper.
                    }
                    return call.proceed();
                  }),
              seed));
      orders.add(order);
    }

    assertThat(orders.get(0)).hasSize(8).containsExactlyInAnyOrderElementsOf(orders.get(1));
    assertThat(orders.get(0)).isNotEqualTo(orders.get(1));
  }
}
