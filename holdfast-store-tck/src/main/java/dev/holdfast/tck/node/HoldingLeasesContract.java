package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.Page;
import dev.holdfast.api.StoreException;
import dev.holdfast.api.internal.Times;
import dev.holdfast.api.lease.Acquisition;
import dev.holdfast.api.lease.Lease;
import dev.holdfast.api.lease.LeaseBusyException;
import dev.holdfast.api.lease.LeaseInfo;
import dev.holdfast.api.lease.LeaseState;
import dev.holdfast.api.lease.Leases;
import dev.holdfast.engine.lease.HoldfastLeases;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.store.LeaseStore.Ending;
import dev.holdfast.engine.store.LeaseStore.LeaseClaim;
import dev.holdfast.engine.store.Store;
import dev.holdfast.tck.fault.FaultyStore;
import dev.holdfast.tck.fault.StoreMethod;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Leases held by a process: how they are renewed, lost and released. */
public abstract class HoldingLeasesContract extends NodeTestBase {
  private static final String KEY = "invoice:42";
  private static final Duration LONG = Duration.ofMinutes(2);
  private static final Duration SHORT = Duration.ofMillis(900);

  private final List<HoldfastLeases> opened = new ArrayList<>();

  private HoldfastLeases leases(Store store, String holder) {
    HoldfastLeases leases =
        HoldfastLeases.builder(store.leases()).holder(holder).meters(meters).build();
    opened.add(leases);
    return leases;
  }

  private HoldfastLeases leases() {
    return leases(store(), "node-1");
  }

  @AfterEach
  void closeLeases() {
    opened.forEach(HoldfastLeases::close);
  }

  private static Lease acquire(Leases leases, Duration ttl) {
    return leases.acquire(KEY, ttl).orElseThrow();
  }

  private static CountDownLatch signalOf(Lease lease) {
    CountDownLatch lost = new CountDownLatch(1);
    lease.onLost(lost::countDown);
    return lost;
  }

  private static void awaitSignal(CountDownLatch signal) throws InterruptedException {
    assertThat(signal.await(SOON.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
  }

  private LeaseInfo info() {
    return store().leases().find(KEY).orElseThrow();
  }

  private long count(String meter) {
    return meters.get("holdfast.leases." + meter).timer().count();
  }

  @Test
  void aHeldLeaseIsBusyForOthersAndTheyAreToldItsHolder() {
    acquire(leases(), LONG);
    HoldfastLeases other = leases(store(), "node-2");

    assertThatExceptionOfType(LeaseBusyException.class)
        .isThrownBy(() -> other.acquire(KEY).orElseThrow())
        .withMessageContaining(KEY)
        .withMessageContaining("node-1")
        .withMessageContaining("another 1 min");
    assertThat(other.acquire(KEY).toOptional()).isEmpty();
    assertThat(count("acquired")).isEqualTo(1);
    assertThat(count("busy")).isEqualTo(2);
  }

  @Test
  void closingCompletesTheLeaseAndFreesIt() {
    HoldfastLeases leases = leases();
    try (Lease lease = acquire(leases, LONG)) {
      assertThat(lease.isHeld()).isTrue();
    }

    assertThat(info().state()).isEqualTo(LeaseState.DONE);
    assertThat(count("completed")).isEqualTo(1);
    assertThat(leases(store(), "node-2").acquire(KEY)).isInstanceOf(Acquisition.Acquired.class);
  }

  @Test
  void aFailedLeaseIsNotCompletedByClosing() {
    try (Lease lease = acquire(leases(), LONG)) {
      assertThat(lease.fail("no paper \0")).isTrue();
      assertThat(lease.isHeld()).isFalse();
      assertThat(lease.complete()).as("the lease has already ended").isFalse();
    }

    assertThat(info().state()).isEqualTo(LeaseState.FAILED);
    assertThat(info().detail()).startsWith("no paper");
    assertThat(count("failed")).isEqualTo(1);
  }

  @Test
  void renewalKeepsALeaseBeyondItsTtl() {
    Lease lease = acquire(leases(), SHORT);

    // Six renewals take two TTLs.
    await().atMost(SOON).until(() -> count("renewed") >= 6);

    assertThat(lease.isHeld()).isTrue();
    assertThat(leases(store(), "node-2").acquire(KEY)).isInstanceOf(Acquisition.Busy.class);
    assertThat(lease.complete()).isTrue();
  }

  @Test
  void aLeaseRenewedWithAShorterTtlIsKeptByRenewalsAndFreeSoonAfterItsHolderIsGone() {
    HoldfastLeases leases = leases();
    Lease lease = acquire(leases, LONG);
    Duration shorter = Duration.ofSeconds(3);

    assertThat(lease.renew(shorter)).isTrue();

    assertThat(info().remaining()).isLessThanOrEqualTo(shorter);
    await().atMost(SOON).until(() -> count("renewed") >= 3);
    assertThat(info().remaining()).isLessThanOrEqualTo(shorter);
    assertThat(lease.isHeld()).isTrue();
    leases.close();
    HoldfastLeases other = leases(store(), "node-2");
    await().atMost(SOON).until(() -> other.acquire(KEY).toOptional().isPresent());
  }

  @Test
  void aLeaseRenewedWithALongerTtlOutlivesItsFirstTtl() {
    HoldfastLeases leases = leases();
    Lease lease = acquire(leases, Duration.ofSeconds(30));

    assertThat(lease.renew(LONG)).isTrue();

    assertThat(info().remaining()).isGreaterThan(Duration.ofSeconds(30));
    assertThat(lease.isHeld()).isTrue();
  }

  @Test
  void aLeaseThatAnotherHolderAcquiredIsLostAtTheNextRenewal() throws Exception {
    Lease lease = acquire(leases(), LONG);
    CountDownLatch lost = signalOf(lease);

    // An operator releases the lease while it is held.
    store().leases().end(new LeaseClaim(KEY, lease.fencingToken()), new Ending.Failed("by hand"));
    assertThat(lease.renew()).isFalse();

    awaitSignal(lost);
    assertThat(lease.isHeld()).isFalse();
    assertThat(lease.complete()).isFalse();
    assertThat(info().state()).isEqualTo(LeaseState.FAILED);
    assertThat(count("renew.failed")).isEqualTo(1);
  }

  @Test
  void theRenewerDetectsALostLease() throws Exception {
    Lease lease = acquire(leases(), SHORT);
    CountDownLatch lost = signalOf(lease);

    store().leases().end(new LeaseClaim(KEY, lease.fencingToken()), new Ending.Done());

    awaitSignal(lost);
    assertThat(lease.isHeld()).isFalse();
  }

  @Test
  void whileTheDatabaseIsUnavailableALeaseIsLostWhenItExpiresAndOthersAcquireIt() throws Exception {
    FaultyStore away = new FaultyStore(store());
    for (int i = 0; i < 200; i++) {
      away.failNext(StoreMethod.RENEW);
    }
    Lease lease = acquire(leases(away, "node-1"), SHORT);
    CountDownLatch lost = signalOf(lease);

    awaitSignal(lost);

    assertThat(lease.isHeld()).isFalse();
    HoldfastLeases other = leases(store(), "node-2");
    await().atMost(SOON).until(() -> other.acquire(KEY).toOptional().isPresent());
    assertThat(info().attempt()).isEqualTo(2);
    assertThat(info().fencingToken()).isGreaterThan(lease.fencingToken());
    assertThat(lease.complete()).as("the old holder is fenced").isFalse();
    assertThat(info().state()).isEqualTo(LeaseState.CLAIMED);
    assertThat(count("steal")).isEqualTo(1);
    assertThat(count("renew.failed")).isPositive();
  }

  @Test
  void aLeaseSurvivesTemporaryRenewalFailures() {
    FaultyStore shaky =
        new FaultyStore(store())
            .failNext(StoreMethod.RENEW)
            .loseReply(StoreMethod.RENEW)
            .failNext(StoreMethod.RENEW);
    Lease lease = acquire(leases(shaky, "node-1"), Duration.ofSeconds(3));

    await().atMost(SOON).until(() -> count("renewed") >= 1);

    assertThat(shaky.allFaultsHappened()).isTrue();
    assertThat(lease.isHeld()).isTrue();
  }

  @Test
  void anAcquireWhoseReplyWasLostFindsItsLease() {
    FaultyStore shaky =
        new FaultyStore(store()).loseReply(StoreMethod.ACQUIRE).loseReply(StoreMethod.ACQUIRE);

    Lease lease = acquire(leases(shaky, "node-1"), LONG);

    assertThat(lease.attempt()).isEqualTo(1);
    assertThat(lease.isHeld()).isTrue();
    assertThat(info().fencingToken()).isEqualTo(lease.fencingToken());
  }

  @Test
  void anAcquireThatGaveUpDoesNotLockOutItsOwnProcess() {
    FaultyStore shaky =
        new FaultyStore(store())
            .loseReply(StoreMethod.ACQUIRE)
            .loseReply(StoreMethod.ACQUIRE)
            .loseReply(StoreMethod.ACQUIRE);
    HoldfastLeases leases = leases(shaky, "node-1");
    assertThatExceptionOfType(StoreException.class).isThrownBy(() -> acquire(leases, LONG));
    assertThat(info().state()).isEqualTo(LeaseState.CLAIMED);

    assertThat(acquire(leases, LONG).isHeld()).isTrue();
    assertThat(leases.acquire(KEY))
        .as("it is granted to one caller only")
        .isInstanceOf(Acquisition.Busy.class);
  }

  @Test
  void anEndWhoseReplyWasLostIsRecognised() {
    FaultyStore shaky =
        new FaultyStore(store()).loseReply(StoreMethod.END).failNext(StoreMethod.END);

    assertThat(acquire(leases(shaky, "node-1"), LONG).complete()).isTrue();
    assertThat(info().state()).isEqualTo(LeaseState.DONE);
  }

  @Test
  void aFailureThatCouldNotBeWrittenIsNotCompletedByClosing() {
    FaultyStore away =
        new FaultyStore(store())
            .failNext(StoreMethod.END)
            .failNext(StoreMethod.END)
            .failNext(StoreMethod.END);
    Lease lease = acquire(leases(away, "node-1"), LONG);
    assertThatExceptionOfType(StoreException.class).isThrownBy(() -> lease.fail("no paper"));
    assertThat(lease.isHeld()).isFalse();
    assertThat(info().state()).isEqualTo(LeaseState.CLAIMED);

    lease.close();

    assertThat(info().state()).isEqualTo(LeaseState.FAILED);
  }

  @Test
  void closingWhileTheDatabaseIsUnavailableReleasesTheLeaseLocally() {
    FaultyStore away =
        new FaultyStore(store())
            .failNext(StoreMethod.END)
            .failNext(StoreMethod.END)
            .failNext(StoreMethod.END);
    HoldfastLeases leases = leases(away, "node-1");
    Lease lease = acquire(leases, SHORT);

    lease.close();

    assertThat(lease.isHeld()).isFalse();
    await().atMost(SOON).until(() -> leases.acquire(KEY).toOptional().isPresent());
  }

  @Test
  void leasesHeldWhenTheLeasesAreClosedAreLostAndNotCompleted() throws Exception {
    HoldfastLeases leases = leases();
    Lease lease = acquire(leases, LONG);
    CountDownLatch lost = signalOf(lease);

    leases.close();

    awaitSignal(lost);
    assertThat(info().state()).isEqualTo(LeaseState.CLAIMED);
    assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> leases.acquire(KEY));
  }

  @Test
  void expiredLeasesOfDeadHoldersAreReclaimed() {
    HoldfastLeases dead = leases(store(), "dead");
    acquire(dead, Duration.ofMillis(100));
    dead.close();

    HoldfastLeases leases = leases();
    List<LeaseInfo> reclaimed = new ArrayList<>();
    await()
        .atMost(SOON)
        .until(() -> reclaimed.addAll(leases.reclaimExpired(10)) && !reclaimed.isEmpty());

    assertThat(reclaimed).extracting(LeaseInfo::holder).containsExactly("dead");
    assertThat(count("reclaimed")).isEqualTo(1);
    assertThat(leases.find(KEY).orElseThrow().state()).isEqualTo(LeaseState.EXPIRED);
    assertThat(acquire(leases, LONG).attempt()).isEqualTo(2);
  }

  @Test
  void theMetersOfLeasesAreTaggedWithTheNodeName() {
    try (Lease lease = start(node().name("mail-worker")).leases().acquire(KEY).orElseThrow()) {
      assertThat(lease.isHeld()).isTrue();
    }

    assertThat(meters.get("holdfast.leases.completed").tag("node", "mail-worker").timer().count())
        .isEqualTo(1);
  }

  @Test
  void invalidLeaseInputIsRejectedWithTheRemedy() {
    HoldfastLeases leases = leases();
    for (Duration ttl : List.of(Duration.ZERO, Duration.ofSeconds(-1), Duration.ofDays(366))) {
      assertThatExceptionOfType(IllegalArgumentException.class)
          .isThrownBy(() -> leases.acquire(KEY, ttl))
          .withMessageContaining(Times.describe(ttl))
          .withMessageContaining("give 100 ms to 365 days");
    }
    for (String key : List.of(" ", "x".repeat(257), "a\0b")) {
      assertThatExceptionOfType(IllegalArgumentException.class)
          .isThrownBy(() -> leases.acquire(key))
          .withMessageContaining("Lease key")
          .withMessageContaining("give 1 to 256 characters");
    }
    for (int limit : List.of(0, 1001)) {
      assertThatExceptionOfType(IllegalArgumentException.class)
          .isThrownBy(() -> leases.reclaimExpired(limit))
          .withMessageContaining("ask for 1 to 1000");
    }
    assertThat(leases.list(Page.first(10))).isEmpty();
  }

  @Test
  void aLockHasAnOwnerAndIsFreedByClosing() {
    HoldfastLeases leases = leases();
    HoldfastLeases other = leases(store(), "node-2");
    try (Lease lock = leases.locks().tryLock("report", LONG).orElseThrow()) {
      assertThat(lock.isHeld()).isTrue();
      assertThat(other.locks().tryLock("report")).isInstanceOf(Acquisition.Busy.class);
      assertThat(other.locks().owner("report").orElseThrow().holder()).isEqualTo("node-1");
      assertThat(other.acquire("report")).as("a lease").isInstanceOf(Acquisition.Acquired.class);
    }

    assertThat(other.locks().owner("report")).isEmpty();
    assertThat(other.locks().tryLock("report")).isInstanceOf(Acquisition.Acquired.class);
  }

  @Test
  void aStartUpActionRunsOnOneNodeAndNotAgainOnTheNextThatStarts() {
    List<String> ran = new ArrayList<>();
    HoldfastLeases first = leases();
    HoldfastLeases second = leases(store(), "node-2");

    assertThat(first.startup().runOnce("drop", LONG, () -> ran.add("first"))).isTrue();
    assertThat(second.startup().runOnce("drop", LONG, () -> ran.add("second"))).isFalse();

    assertThat(ran).containsExactly("first");
    assertThat(second.startup().isDone("drop")).isTrue();
    assertThat(second.startup().tryAcquire("drop", LONG))
        .isInstanceOfSatisfying(
            Acquisition.Busy.class, busy -> assertThat(busy.state()).isEqualTo(LeaseState.DONE));
  }

  @Test
  void aStartUpActionThatFailedIsFreeForTheNextNode() {
    HoldfastLeases second = leases(store(), "node-2");

    assertThatExceptionOfType(IllegalStateException.class)
        .isThrownBy(() ->
            leases()
                .startup()
                .runOnce(
                    "drop",
                    LONG,
                    () -> {
                      throw new IllegalStateException("disk full");
                    }));

    assertThat(second.find("startup:drop").orElseThrow().detail()).contains("disk full");
    assertThat(second.startup().isDone("drop")).isFalse();
    assertThat(second.startup().runOnce("drop", LONG, () -> {})).isTrue();
  }

  @Test
  void aStartUpActionIsInterruptedWhenItsLeaseIsLost() throws Exception {
    List<String> ran = new ArrayList<>();

    boolean done =
        leases()
            .startup()
            .runOnce(
                "drop",
                SHORT,
                () -> {
                  loseTheLease("startup:drop");
                  awaitSignal(new CountDownLatch(1));
                  ran.add("to its end");
                });

    assertThat(done).isFalse();
    assertThat(ran).isEmpty();
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
    assertThat(leases(store(), "node-2").startup().runOnce("drop", LONG, () -> {})).isTrue();
  }

  private void loseTheLease(String key) {
    long token = store().leases().find(key).orElseThrow().fencingToken();
    store().leases().end(new LeaseClaim(key, token), new Ending.Failed("taken away"));
  }

  @Test
  void aStartUpActionIsFreeWhenReleasedButNotWhileItIsHeld() {
    HoldfastLeases first = leases();
    HoldfastLeases second = leases(store(), "node-2");
    Lease held = first.startup().tryAcquire("drop", LONG).orElseThrow();

    assertThat(second.startup().release("drop")).as("another node holds it").isFalse();
    assertThat(first.startup().release("drop")).as("its holder may release it").isTrue();
    assertThat(held.isHeld()).isFalse();
    assertThat(second.startup().runOnce("drop", LONG, () -> {})).isTrue();
    assertThat(first.startup().release("drop")).as("done").isTrue();
    assertThat(first.startup().runOnce("drop", LONG, () -> {})).isTrue();
    assertThat(first.startup().release("never")).isFalse();
  }

  @Test
  void aNodeAcquiresLeasesUnderItsNameAndLosesThemWhenItStops() throws Exception {
    HoldfastNode node = start(node().id("node-7").handle(ECHO, (note, context) -> "x"));
    Lease lease = node.leases().acquire(KEY).orElseThrow();
    CountDownLatch lost = signalOf(lease);
    assertThat(info().holder()).isEqualTo("node-7");
    assertThat(node.locks().tryLock("a")).isInstanceOf(Acquisition.Acquired.class);
    assertThat(node.startup().runOnce("b", LONG, () -> {})).isTrue();

    node.close();

    awaitSignal(lost);
  }
}
