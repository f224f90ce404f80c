package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.NodeMode;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.engine.rule.ModeChange;
import dev.holdfast.engine.rule.WrittenModes;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.NodeSnapshot;
import dev.holdfast.engine.store.NodeStore.ClaimRow;
import dev.holdfast.engine.store.NodeStore.Heartbeat;
import dev.holdfast.engine.store.NodeStore.Lost;
import dev.holdfast.engine.store.NodeStore.LostLane;
import dev.holdfast.engine.store.NodeStore.NodeRegistration;
import dev.holdfast.engine.store.QueueStore.Rule;
import dev.holdfast.engine.store.Upkeep.Retention;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** The registered nodes, their heartbeats, and the jobs that they hold. */
public abstract class NodeStoreContract extends Contract {
  private static final Retention RETENTION =
      new Retention(Duration.ofDays(30), Duration.ofDays(30));

  private NodeSnapshot status(Worker worker) {
    return store.nodes().list().stream()
        .filter(status -> status.registration().incarnation().equals(worker.incarnation()))
        .findAny()
        .orElseThrow();
  }

  @Test
  void aRegisteredNodeIsAliveWithItsRegistration() {
    NodeRegistration registration =
        Worker.registration("node-7", Set.of("a", "b"), Set.of("x", "y::z"));
    store.nodes().register(registration);

    assertThat(store.nodes().list())
        .singleElement()
        .satisfies(status -> {
          assertThat(status.registration()).isEqualTo(registration);
          assertThat(status.alive()).isTrue();
          assertThat(status.running()).isZero();
        });
  }

  @Test
  void aNodeMayServeNoQueue() {
    NodeRegistration registration = Worker.registration("node-7", Set.of(), Set.of());
    store.nodes().register(registration);

    assertThat(store.nodes().list())
        .extracting(NodeSnapshot::registration)
        .containsExactly(registration);
  }

  @Test
  void aNewIncarnationInheritsTheModesThatAnOperatorSet() {
    Modes set = new Modes(NodeMode.DISABLED, Map.of("ml::*", NodeMode.FULL));
    NodeRegistration before = Worker.registration("node-7", Set.of(), Set.of());
    store.nodes().register(before);
    assertThat(store.nodes().setModes(before.incarnation(), Modes.FULL, set)).isTrue();

    NodeRegistration after = Worker.registration("node-7", Set.of(), Set.of());
    store.nodes().register(after, Modes.FULL, before.incarnation());
    assertThat(modesOf(after)).isEqualTo(set);

    assertThat(store.nodes().setModes(after.incarnation(), set, Modes.FULL)).isTrue();
    store.nodes().register(after, Modes.FULL, before.incarnation());
    assertThat(modesOf(after)).as("after a repeat").isEqualTo(Modes.FULL);
    assertThat(store.nodes().setModes(before.incarnation(), set, Modes.FULL))
        .as("modes of a dead node")
        .isFalse();
  }

  @Test
  void aModeChangeBasedOnOutdatedModesChangesNothing() {
    NodeRegistration registration = Worker.registration("node-1", Set.of(), Set.of());
    store.nodes().register(registration);
    Modes first =
        new Modes(NodeMode.FULL, Map.of("a::*", NodeMode.DISABLED, "b::*", NodeMode.TRIGGER_ONLY));
    Modes second = new Modes(NodeMode.TRIGGER_ONLY, Map.of());
    assertThat(store.nodes().setModes(registration.incarnation(), Modes.FULL, first)).isTrue();

    assertThat(store.nodes().setModes(registration.incarnation(), Modes.FULL, second)).isFalse();
    assertThat(
            store
                .nodes()
                .setModes(
                    registration.incarnation(),
                    new Modes(NodeMode.FULL, Map.of("a::*", NodeMode.DISABLED)),
                    second))
        .isFalse();
    assertThat(modesOf(registration)).isEqualTo(first);

    assertThat(store.nodes().setModes(registration.incarnation(), first, second)).isTrue();
    assertThat(store.nodes().setModes(registration.incarnation(), Modes.FULL, first))
        .as("with another mode and the same overrides")
        .isFalse();
    assertThat(modesOf(registration)).isEqualTo(second);
  }

  @Test
  void concurrentModeChangesDoNotUndoEachOther() throws Exception {
    NodeRegistration registration = Worker.registration("node-1", Set.of(), Set.of());
    store.nodes().register(registration);
    int writers = 8;

    Together.run(
        writers,
        i ->
            WrittenModes.change(
                store.nodes(),
                registration.incarnation(),
                ModeChange.except("task-" + i, NodeMode.TRIGGER_ONLY)));

    assertThat(modesOf(registration).overrides()).hasSize(writers);
  }

  private Modes modesOf(NodeRegistration registration) {
    return store.nodes().list().stream()
        .filter(status -> status.registration().equals(registration))
        .map(NodeSnapshot::modes)
        .findAny()
        .orElseThrow();
  }

  @Test
  void aRepeatedRegistrationHasNoFurtherEffect() {
    Worker worker = worker();
    worker.beat();
    long beat = status(worker).beat();
    store.nodes().register(worker.registration());

    assertThat(store.nodes().list()).hasSize(1);
    assertThat(status(worker).alive()).isTrue();
    assertThat(status(worker).beat()).isGreaterThanOrEqualTo(beat);
  }

  @Test
  void twoIncarnationsWithTheSameNameAreTwoNodes() {
    Worker old = worker("node-1");
    Worker current = worker("node-1");

    assertThat(status(old).alive()).isTrue();
    assertThat(status(current).alive()).isTrue();
  }

  @Test
  void everyHeartbeatAdvancesTheCounter() {
    Worker worker = worker();
    long first = status(worker).beat();
    worker.beat();
    long second = status(worker).beat();
    worker.beat();

    assertThat(second).isEqualTo(first + 1);
    assertThat(status(worker).beat()).isEqualTo(first + 2);
  }

  @Test
  void aHeartbeatAdvancesNoOtherCounter() {
    Worker silent = worker("node-1");
    Worker beating = worker("node-2");
    long before = status(silent).beat();
    beating.beat();

    assertThat(status(silent).beat()).isEqualTo(before);
  }

  @Test
  void silenceGrowsUntilTheNextHeartbeat() {
    Worker worker = worker();
    passTime(Duration.ofMinutes(5));
    assertThat(status(worker).sinceLastHeartbeat())
        .isBetween(Duration.ofMinutes(5), Duration.ofMinutes(6));

    worker.beat();

    assertThat(status(worker).sinceLastHeartbeat()).isBetween(Duration.ZERO, Duration.ofMinutes(1));
  }

  @Test
  void aSilentNodeIsAliveUntilItIsDeclaredDead() {
    Worker worker = worker();
    passTime(Duration.ofHours(5));

    assertThat(status(worker).alive()).isTrue();
    assertThat(store.nodes().beat(worker.incarnation(), 0)).isPresent();
  }

  @Test
  void aHeartbeatReportsTheNumberOfRunningJobs() {
    Worker worker = worker();
    store.nodes().beat(worker.incarnation(), 42);

    assertThat(status(worker).running()).isEqualTo(42);
  }

  @Test
  void aHeartbeatReportsLostSlotsAndADeadNodeHasNone() {
    Worker worker = worker();
    Lost lost =
        new Lost(
            3,
            List.of(
                new LostLane("a", 2, 2, List.of("x::y", "z")),
                new LostLane("b", 1, 5, List.of("q"))));
    store
        .nodes()
        .beat(
            new Heartbeat(
                worker.incarnation(),
                4,
                0,
                Duration.ofSeconds(30),
                Duration.ofSeconds(30),
                Duration.ZERO,
                lost));
    assertThat(status(worker).lost()).isEqualTo(lost);

    store.nodes().beat(worker.incarnation(), 0);
    assertThat(status(worker).lost()).isEqualTo(Lost.NONE);

    store
        .nodes()
        .beat(
            new Heartbeat(
                worker.incarnation(),
                4,
                0,
                Duration.ofSeconds(30),
                Duration.ofSeconds(30),
                Duration.ZERO,
                lost));
    worker.leave();
    assertThat(status(worker).lost()).isEqualTo(Lost.NONE);
  }

  @Test
  void aStoppedOrDeadNodeRunsNothing() {
    Worker stopped = worker("stopped");
    Worker dead = worker("dead");
    store.nodes().beat(stopped.incarnation(), 42);
    store.nodes().beat(dead.incarnation(), 42);

    stopped.leave();
    assertThat(store.nodes().markDead(dead.incarnation(), 1, Duration.ofMinutes(1))).isTrue();

    assertThat(status(stopped).running()).isZero();
    assertThat(status(dead).running()).isZero();
  }

  @Test
  void aHeartbeatOfAnUnknownIncarnationHasNoResult() {
    assertThat(store.nodes().beat(freshIncarnation(), 0)).isEmpty();
    assertThat(store.nodes().list()).isEmpty();
  }

  @Test
  void aHeartbeatOfADeadIncarnationHasNoResult() {
    Worker worker = worker();
    worker.leave();
    long before = status(worker).beat();

    assertThat(store.nodes().beat(worker.incarnation(), 0)).isEmpty();
    assertThat(status(worker).beat()).isEqualTo(before);
  }

  @Test
  void registeringDoesNotReviveADeadIncarnation() {
    Worker worker = worker();
    worker.leave();
    store.nodes().register(worker.registration());

    assertThat(status(worker).alive()).isFalse();
    assertThat(store.nodes().beat(worker.incarnation(), 0)).isEmpty();
  }

  @Test
  void aDeregisteredNodeIsListedAsDead() {
    Worker gone = worker("node-1");
    Worker alive = worker("node-2");
    gone.leave();

    assertThat(status(gone).alive()).isFalse();
    assertThat(status(alive).alive()).isTrue();
  }

  @Test
  void deregisteringTwiceOrAnUnknownIncarnationHasNoEffect() {
    Worker worker = worker();
    worker.leave();
    worker.leave();
    store.nodes().leave(freshIncarnation());

    assertThat(store.nodes().list()).hasSize(1);
  }

  @Test
  void aLongDeadNodeIsNotListed() {
    worker("node-1").leave();
    Worker alive = worker("node-2");
    passTime(Duration.ofDays(2));
    store.upkeep().tidy(RETENTION);

    assertThat(store.nodes().list())
        .extracting(NodeSnapshot::registration)
        .containsExactly(alive.registration());
  }

  @Test
  void aRecentlyDeadNodeIsListed() {
    Worker worker = worker();
    worker.leave();
    passTime(Duration.ofHours(12));
    store.upkeep().tidy(RETENTION);

    assertThat(status(worker).alive()).isFalse();
  }

  @Test
  void aHeartbeatReturnsEveryClaimWithTheNumberOfItsCall() {
    Worker worker = worker();
    enqueueAll(job(), job(), job());
    List<ClaimedJob> first = worker.claim(1, 1, null);
    long firstCall = worker.lastClaimNo();
    ClaimedJob second = worker.claimOne();
    long secondCall = worker.lastClaimNo();

    assertThat(worker.beat().claims())
        .containsExactlyInAnyOrder(
            new ClaimRow(first.get(0).claim(), firstCall, true, false, false),
            new ClaimRow(first.get(1).claim(), firstCall, false, false, false),
            new ClaimRow(second.claim(), secondCall, true, false, false));
  }

  @Test
  void aHeartbeatReturnsNoClaimsOfCallsOlderThanRequested() {
    Worker worker = worker();
    enqueueAll(job(), job());
    worker.claimOne();
    ClaimedJob second = worker.claimOne();
    long secondCall = worker.lastClaimNo();

    assertThat(store.nodes().beat(worker.incarnation(), 1, secondCall).orElseThrow().claims())
        .containsExactly(new ClaimRow(second.claim(), secondCall, true, false, false));
  }

  @Test
  void aHeartbeatReturnsCancelRequests() {
    Worker worker = worker();
    enqueue(job());
    ClaimedJob claimed = worker.claimOne();
    store.control().cancel(claimed.id());

    assertThat(worker.beat().claims())
        .containsExactly(new ClaimRow(claimed.claim(), worker.lastClaimNo(), true, true, false));
  }

  @Test
  void aHeartbeatReturnsNoClaimsOfOtherNodesAndNoEndedClaims() {
    Worker worker = worker("node-1");
    Worker other = worker("node-2");
    enqueueAll(job(), job(), job(), job());
    worker.succeed(worker.claimOne());
    worker.retryIn(worker.claimOne(), Duration.ofHours(1));
    worker.giveBack(worker.claimOne().claim());
    ClaimedJob cancelled = worker.prefetchOne();
    store.control().cancel(cancelled.id());
    assertThat(other.claim(5)).hasSize(1);

    assertThat(worker.beat().claims()).isEmpty();
    assertThat(other.beat().claims()).hasSize(1);
  }

  @Test
  void aHeartbeatReturnsTheRulesOfQueues() {
    Worker worker = worker();
    store.queues().pause("a");
    store.queues().limit("b", 5);

    assertThat(worker.beat().rules())
        .containsEntry("a", new Rule(true, null))
        .containsEntry("b", new Rule(false, 5))
        .isEqualTo(store.queues().rules());
  }

  @ParameterizedTest
  @EnumSource(names = {"CLAIMED", "RUNNING"})
  void aClaimedJobHasAHolder(JobState state) {
    Worker worker = worker();
    JobId id = enqueue(job());
    if (state == JobState.CLAIMED) {
      worker.prefetchOne();
    } else {
      worker.claimOne();
    }

    assertThat(store.nodes().holderOf(id)).contains(worker.incarnation());
  }

  @ParameterizedTest
  @EnumSource(
      names = {"CLAIMED", "RUNNING", "WAITING", "ON_HOLD"},
      mode = Mode.EXCLUDE)
  void anUnclaimedJobHasNoHolder(JobState state) {
    assertThat(store.nodes().holderOf(bringTo(job(), state))).isEmpty();
  }

  @Test
  void anUnknownJobHasNoHolder() {
    assertThat(store.nodes().holderOf(freshId())).isEmpty();
  }

  @Test
  void allClaimedJobsOfAnIncarnationAreListedRegardlessOfTheirCall() {
    Worker worker = worker();
    Worker other = worker("node-2");
    enqueueAll(job(), job(), job(), job());
    ClaimId running = worker.claimOne().claim();
    ClaimId claimed = worker.prefetchOne().claim();
    worker.succeed(worker.claimOne());
    other.claimOne();
    worker.beat(100);

    assertThat(store.nodes().claims(worker.incarnation()))
        .containsExactlyInAnyOrder(
            new ClaimRow(running, 1, true, false, false),
            new ClaimRow(claimed, 2, false, false, false));
    assertThat(store.nodes().claims(freshIncarnation())).isEmpty();
  }

  @Test
  void heartbeatsDoNotChangeTheStartTimeOfANode() {
    Worker worker = worker();
    passTime(Duration.ofHours(1));
    worker.beat();
    store.nodes().register(worker.registration());

    Instant now = find(enqueue(job())).createdAt();
    assertThat(store.nodes().list())
        .singleElement()
        .satisfies(status ->
            assertThat(Duration.between(status.startedAt(), now))
                .isBetween(Duration.ofHours(1), Duration.ofHours(1).plusMinutes(1)));
  }
}
