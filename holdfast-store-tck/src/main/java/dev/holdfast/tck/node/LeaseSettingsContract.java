package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.event.LifecycleEvent;
import dev.holdfast.api.event.LifecycleEvent.LeaseAcquired;
import dev.holdfast.api.event.LifecycleEvent.LeaseLost;
import dev.holdfast.api.event.LifecycleEvent.LeaseReleased;
import dev.holdfast.api.event.LifecycleEvent.OfLease;
import dev.holdfast.api.internal.Times;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.lease.Acquisition;
import dev.holdfast.api.lease.Lease;
import dev.holdfast.api.lease.LeaseInfo;
import dev.holdfast.api.lease.LeaseLoss;
import dev.holdfast.api.lease.LeaseState;
import dev.holdfast.engine.lease.HoldfastLeases;
import dev.holdfast.engine.lease.LeaseEvents;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.store.LeaseStore;
import dev.holdfast.engine.store.LeaseStore.Ending;
import dev.holdfast.engine.store.LeaseStore.LeaseClaim;
import dev.holdfast.engine.store.Store;
import dev.holdfast.tck.fault.FaultyStore;
import dev.holdfast.tck.fault.StoreMethod;
import dev.holdfast.tck.simulation.Interposed;
import dev.holdfast.testkit.memory.InMemoryStore;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The settings and events of the leases of a node. */
public abstract class LeaseSettingsContract extends NodeTestBase {
  private static final String KEY = "invoice:42";
  private static final Duration TTL = Duration.ofSeconds(3);

  private final List<LifecycleEvent> received = new CopyOnWriteArrayList<>();

  private HoldfastNode listening(Store store) {
    return start(node(store).id("told").listener(received::add));
  }

  private void awaitEvents(OfLease... events) {
    await()
        .atMost(SOON)
        .untilAsserted(() ->
            assertThat(received.stream().filter(OfLease.class::isInstance))
                .containsExactly(events));
  }

  @Test
  void listenersAreToldOfAcquiredAndReleasedLeases() {
    HoldfastNode node = listening(store());

    Lease done = node.leases().acquire(KEY).orElseThrow();
    done.close();
    assertThat(done.complete()).isFalse();
    Lease failed = node.locks().tryLock("report").orElseThrow();
    failed.fail("no paper");
    failed.close();

    awaitEvents(
        new LeaseAcquired("told", KEY, done.fencingToken(), 1),
        new LeaseReleased("told", KEY, done.fencingToken(), LeaseState.DONE),
        new LeaseAcquired("told", "lock:report", failed.fencingToken(), 1),
        new LeaseReleased("told", "lock:report", failed.fencingToken(), LeaseState.FAILED));
  }

  @Test
  void listenersAreToldOfALeaseThatAnotherHolderAcquired() {
    HoldfastNode node = listening(store());
    Lease lease = node.leases().acquire(KEY).orElseThrow();

    store().leases().end(new LeaseClaim(KEY, lease.fencingToken()), new Ending.Failed("by hand"));
    assertThat(lease.renew()).isFalse();
    lease.close();

    awaitEvents(
        new LeaseAcquired("told", KEY, lease.fencingToken(), 1),
        new LeaseLost("told", KEY, lease.fencingToken(), LeaseLoss.REVOKED));
  }

  @Test
  void listenersAreToldOfALeaseThatWasRevokedBeforeItWasCompleted() {
    HoldfastNode node = listening(store());
    Lease lease = node.leases().acquire(KEY).orElseThrow();

    store().leases().end(new LeaseClaim(KEY, lease.fencingToken()), new Ending.Failed("by hand"));
    assertThat(lease.complete()).isFalse();

    awaitEvents(
        new LeaseAcquired("told", KEY, lease.fencingToken(), 1),
        new LeaseLost("told", KEY, lease.fencingToken(), LeaseLoss.REVOKED));
  }

  @Test
  void listenersAreToldWhetherALeaseWasTakenOver() {
    HoldfastLeases other = HoldfastLeases.builder(store().leases()).meters(meters).build();
    other.acquire(KEY, Duration.ofMillis(100)).orElseThrow();
    other.close(); // Without an end: the lease is free when its ttl is over.
    HoldfastNode node = listening(store());

    Lease stolen =
        await()
            .atMost(SOON)
            .until(() -> node.leases().acquire(KEY), Acquisition.Acquired.class::isInstance)
            .orElseThrow();

    assertThat(stolen.attempt()).isEqualTo(2);
    awaitEvents(new LeaseAcquired("told", KEY, stolen.fencingToken(), 2));
  }

  @Test
  void listenersAreToldOfALeaseThatIsAcquiredWhileItsNodeIsClosed() throws Exception {
    CountDownLatch granted = new CountDownLatch(1);
    CountDownLatch closed = new CountDownLatch(1);
    Store slow =
        Interposed.on(
            store(),
            call -> {
              Object result = call.proceed();
              if (result instanceof LeaseStore.Result.Granted) {
                granted.countDown();
                awaitQuietly(closed);
              }
              return result;
            });
    HoldfastLeases leases =
        HoldfastLeases.builder(slow.leases()).meters(meters).events(recording(received)).build();
    CompletableFuture<Lease> late =
        CompletableFuture.supplyAsync(() -> leases.acquire(KEY).orElseThrow());
    assertThat(granted.await(SOON.toMillis(), TimeUnit.MILLISECONDS)).isTrue();

    leases.close();
    closed.countDown();

    assertThat(late).succeedsWithin(SOON).returns(false, Lease::isHeld);
    awaitEvents(
        new LeaseAcquired("told", KEY, late.join().fencingToken(), 1),
        new LeaseLost("told", KEY, late.join().fencingToken(), LeaseLoss.CLOSED));
  }

  @Test
  void aLeaseThatIsCompletedAfterItWasLostIsReportedOnce() {
    HoldfastLeases leases =
        HoldfastLeases.builder(store().leases()).meters(meters).events(recording(received)).build();
    Lease lease = leases.acquire(KEY).orElseThrow();

    leases.close();
    assertThat(lease.complete()).as("the store still has it").isTrue();

    assertThat(received)
        .containsExactly(
            new LeaseAcquired("told", KEY, lease.fencingToken(), 1),
            new LeaseLost("told", KEY, lease.fencingToken(), LeaseLoss.CLOSED));
  }

  private static LeaseEvents recording(List<LifecycleEvent> events) {
    return new LeaseEvents() {
      @Override
      public void leaseAcquired(Lease lease) {
        events.add(new LeaseAcquired("told", lease.key(), lease.fencingToken(), lease.attempt()));
      }

      @Override
      public void leaseReleased(Lease lease, LeaseState how) {
        events.add(new LeaseReleased("told", lease.key(), lease.fencingToken(), how));
      }

      @Override
      public void leaseLost(Lease lease, LeaseLoss why) {
        events.add(new LeaseLost("told", lease.key(), lease.fencingToken(), why));
      }
    };
  }

  @Test
  void listenersAreToldOfALeaseThatCouldNotBeRenewed() {
    FaultyStore away = new FaultyStore(store());
    for (int i = 0; i < 200; i++) {
      away.failNext(StoreMethod.RENEW);
    }
    HoldfastNode node = listening(away);

    Lease lease = node.leases().acquire(KEY, Duration.ofMillis(900)).orElseThrow();

    awaitEvents(
        new LeaseAcquired("told", KEY, lease.fencingToken(), 1),
        new LeaseLost("told", KEY, lease.fencingToken(), LeaseLoss.NOT_RENEWED));
  }

  @Test
  void listenersAreToldOfALeaseThatIsHeldWhenItsNodeIsClosed() {
    HoldfastNode node = listening(store());
    Lease lease = node.leases().acquire(KEY).orElseThrow();

    node.close();

    awaitEvents(
        new LeaseAcquired("told", KEY, lease.fencingToken(), 1),
        new LeaseLost("told", KEY, lease.fencingToken(), LeaseLoss.CLOSED));
  }

  @Test
  void listenersAreToldOfALeaseWhoseEndCouldNotBeWritten() {
    FaultyStore away =
        new FaultyStore(store())
            .failNext(StoreMethod.END)
            .failNext(StoreMethod.END)
            .failNext(StoreMethod.END);
    HoldfastNode node = listening(away);
    Lease lease = node.leases().acquire(KEY).orElseThrow();

    lease.close();

    awaitEvents(
        new LeaseAcquired("told", KEY, lease.fencingToken(), 1),
        new LeaseLost("told", KEY, lease.fencingToken(), LeaseLoss.NOT_WRITTEN));
  }

  @Test
  void aListenerThatThrowsOrIsStuckAffectsNoLease() throws Exception {
    CountDownLatch stuck = new CountDownLatch(1);
    CountDownLatch reached = new CountDownLatch(1);
    HoldfastNode node =
        start(
            node()
                .listener(event -> {
                  throw new IllegalStateException("listeners may do that");
                })
                .listener(event -> {
                  reached.countDown();
                  awaitQuietly(stuck);
                }));
    try {
      assertThat(reached.await(SOON.toMillis(), TimeUnit.MILLISECONDS)).isTrue();

      Lease kept = node.leases().acquire(KEY, TTL).orElseThrow();
      await().atMost(SOON).until(() -> meters.get("holdfast.leases.renewed").timer().count() >= 2);
      assertThat(kept.isHeld()).isTrue();
      assertThat(kept.complete()).isTrue();
      Lease taken = node.leases().acquire(KEY).orElseThrow();
      CountDownLatch lost = new CountDownLatch(1);
      taken.onLost(lost::countDown);
      store().leases().end(new LeaseClaim(KEY, taken.fencingToken()), new Ending.Done());
      assertThat(taken.renew()).isFalse();
      assertThat(lost.await(SOON.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
    } finally {
      stuck.countDown();
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private LeaseInfo info(String key) {
    return store().leases().find(key).orElseThrow();
  }

  @Test
  void leasesAndLocksWithoutATtlGetTheDefaultOfTheirNode() {
    Duration day = Duration.ofDays(1);
    HoldfastNode node = start(node().leaseTtl(day));

    node.leases().acquire(KEY).orElseThrow();
    node.locks().tryLock("report").orElseThrow();
    node.leases().acquire("given", TTL).orElseThrow();

    assertThat(info(KEY).remaining()).isBetween(day.minusHours(1), day);
    assertThat(info("lock:report").remaining()).isBetween(day.minusHours(1), day);
    assertThat(info("given").remaining()).isLessThanOrEqualTo(TTL);
  }

  @Test
  void leasesWithoutANodeHaveADefaultTtl() {
    Duration day = Duration.ofDays(1);
    try (HoldfastLeases leases =
        HoldfastLeases.builder(store().leases()).meters(meters).defaultTtl(day).build()) {
      leases.acquire(KEY).orElseThrow();
    }

    assertThat(info(KEY).remaining()).isBetween(day.minusHours(1), day);
  }

  @Test
  void aDefaultTtlThatIsNotValidIsRejected() {
    for (Duration ttl : List.of(Duration.ZERO, Duration.ofMillis(99), Duration.ofDays(366))) {
      assertThatExceptionOfType(IllegalArgumentException.class)
          .isThrownBy(() -> node().leaseTtl(ttl))
          .withMessageContaining(Times.describe(ttl))
          .withMessageContaining("give 100 ms to 365 days");
      assertThatExceptionOfType(IllegalArgumentException.class)
          .isThrownBy(() -> HoldfastLeases.builder(store().leases()).defaultTtl(ttl))
          .withMessageContaining(Times.describe(ttl));
    }
  }

  @Test
  void aNodeCanKeepItsLeasesInAnotherStoreThanItsJobs() {
    LeaseStore other = new InMemoryStore(InstantSource.system()).leases();
    HoldfastNode node =
        start(node().id("node-7").leaseStore(other).handle(ECHO, (note, context) -> note.text()));
    HoldfastNode neighbour = start(node().id("node-8").leaseStore(other));

    node.leases().acquire(KEY).orElseThrow();
    node.startup().runOnce("drop", TTL, () -> {});

    assertThat(neighbour.leases().acquire(KEY)).isInstanceOf(Acquisition.Busy.class);
    assertThat(other.find(KEY).orElseThrow().holder()).isEqualTo("node-7");
    assertThat(other.find("startup:drop")).isPresent();
    assertThat(store().leases().list(null, null, 10)).isEmpty();
    awaitState(client().enqueue(ECHO, new Note("x")).id(), JobState.SUCCEEDED);
  }

  @Test
  void theSingleNodeLeaseStaysWithTheJobs() {
    LeaseStore other = new InMemoryStore(InstantSource.system()).leases();
    start(
        node()
            .id("node-7")
            .leaseStore(other)
            .listener(received::add)
            .liveness(settings -> settings.singleNode()));

    assertThat(other.list(null, null, 10)).isEmpty();
    assertThat(store().leases().list(null, null, 10))
        .extracting(LeaseInfo::holder)
        .containsExactly("node-7");
    assertThat(received).noneMatch(OfLease.class::isInstance);
  }
}
