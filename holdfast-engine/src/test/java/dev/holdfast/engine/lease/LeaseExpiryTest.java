package dev.holdfast.engine.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.lease.Lease;
import dev.holdfast.engine.meter.LeaseMeters;
import dev.holdfast.engine.time.Moment;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** How a lease is kept and lost, with a controlled clock and store. Its TTL is 30 s. */
class LeaseExpiryTest {
  private static final Duration TTL = Duration.ofSeconds(30);

  private Moment now = new Moment(0);
  private final ScriptedLeaseStore store = new ScriptedLeaseStore();
  private final AtomicInteger wakes = new AtomicInteger();
  private final HeldLeases held = new HeldLeases(wakes::incrementAndGet);
  private final AtomicInteger told = new AtomicInteger();
  private final LeaseCalls calls =
      new LeaseCalls(store, "node-1", () -> now, new LeaseMeters(new SimpleMeterRegistry(), null));
  private final LeaseAcquirer acquirer =
      new LeaseAcquirer(calls, UUID::randomUUID, held, LeaseEvents.NONE, Runnable::run);
  private final Renewer renewer = new Renewer(held, calls);
  private final LeaseExpiry fence = new LeaseExpiry(held);

  private static Moment second(long seconds) {
    return new Moment(Duration.ofSeconds(seconds).toNanos());
  }

  private Lease acquire(String key) {
    Lease lease = acquirer.acquire(key, TTL).orElseThrow();
    lease.onLost(told::incrementAndGet);
    return lease;
  }

  private Moment renewAt(long seconds) {
    now = second(seconds);
    return renewer.tick(now);
  }

  private Moment fenceAt(long seconds) {
    now = second(seconds);
    return fence.tick(now);
  }

  @Test
  void aLeaseIsLostInTimeWithoutARenewer() {
    Lease lease = acquire("a");

    assertThat(fenceAt(26)).isEqualTo(second(27));
    assertThat(lease.isHeld()).isTrue();
    assertThat(fenceAt(27)).isEqualTo(Moment.NEVER);

    assertThat(lease.isHeld()).isFalse();
    assertThat(told).hasValue(1);
    assertThat(held.size()).isZero();
  }

  @Test
  void aHolderThatChecksAfterTheDeadlineSeesTheLoss() {
    Lease lease = acquire("a");
    now = second(27);

    assertThat(lease.isHeld()).isFalse();
    assertThat(lease.renew()).isFalse();
    assertThat(store.renewalGroups).isEmpty();
  }

  @Test
  void timeCountsFromBeforeTheAcquireWasSent() {
    store.beforeAcquireReturns = () -> now = second(20);
    Lease lease = acquire("a");

    now = second(26);
    assertThat(lease.isHeld()).isTrue();
    now = second(27);
    assertThat(lease.isHeld()).isFalse();
  }

  @Test
  void timeCountsFromBeforeTheRenewalWasSent() {
    Lease lease = acquire("a");
    store.beforeRenewReturns = () -> now = second(25);

    assertThat(renewAt(10)).isEqualTo(second(20));
    assertThat(fenceAt(36)).isEqualTo(second(37));
    assertThat(lease.isHeld()).isTrue();
    fenceAt(37);
    assertThat(lease.isHeld()).isFalse();
  }

  @Test
  void aRenewalWhoseReplyArrivesAfterTheDeadlineIsTooLate() {
    Lease lease = acquire("a");
    store.beforeRenewReturns = () -> now = second(28);

    renewAt(10);

    assertThat(lease.isHeld()).isFalse();
    fence.tick(now);
    assertThat(told).hasValue(1);
  }

  @Test
  void leasesThatAreDueTogetherAreRenewedInOneCall() {
    acquire("a");
    acquire("b");
    acquire("c");

    assertThat(renewAt(9)).isEqualTo(second(10));
    assertThat(renewAt(10)).isEqualTo(second(20));
    assertThat(store.renewalGroups).containsExactly(3);
  }

  @Test
  void aFailedRenewalIsRetriedBeforeTheDeadline() {
    Lease lease = acquire("a");
    store.beforeRenewReturns = ScriptedLeaseStore.away();
    assertThat(renewAt(10)).isEqualTo(new Moment(Duration.ofMillis(11_500).toNanos()));

    store.beforeRenewReturns = () -> {};
    renewAt(12);

    fenceAt(38);
    assertThat(lease.isHeld()).isTrue();
  }

  @Test
  void aRejectedRenewalReportsTheLossAtOnce() {
    Lease lease = acquire("a");
    store.renews = false;

    assertThat(renewAt(10)).isEqualTo(Moment.NEVER);

    assertThat(lease.isHeld()).isFalse();
    assertThat(told).hasValue(1);
  }

  @Test
  void aRenewalConcurrentWithTheEndIsNoLoss() {
    Lease lease = acquire("a");
    store.renews = false;
    store.beforeRenewReturns = lease::complete;
    store.beforeEndReturns =
        () -> assertThat(((HeldLease) lease).renewal()).isEqualTo(Moment.NEVER);

    renewAt(10);

    assertThat(told).hasValue(0);
    assertThat(held.size()).isZero();
  }

  @Test
  void aLeaseWhoseEndCouldNotBeWrittenIsRenewedAgain() {
    Lease lease = acquire("a");
    wakes.set(0);
    store.beforeEndReturns = ScriptedLeaseStore.away();

    assertThatExceptionOfType(StoreException.class).isThrownBy(lease::complete);

    assertThat(wakes).hasPositiveValue();
    assertThat(renewAt(10)).isEqualTo(second(20));
    assertThat(lease.isHeld()).as("its end may have been written").isFalse();
    assertThat(told).hasValue(0);
    store.beforeEndReturns = () -> {};
    assertThat(lease.complete()).isTrue();
  }

  @Test
  void aLeaseIsNotHeldWhileItsEndIsWritten() {
    Lease lease = acquire("a");
    AtomicBoolean held = new AtomicBoolean(true);
    store.beforeEndReturns = () -> held.set(lease.isHeld());

    lease.complete();

    assertThat(held).isFalse();
  }

  @Test
  void afterATtlChangeRenewalsUseTheNewTtl() {
    Lease lease = acquire("a");

    now = second(5);
    assertThat(lease.renew(Duration.ofSeconds(60))).isTrue();
    assertThat(fence.tick(now)).isEqualTo(second(59));
    assertThat(renewAt(25)).isEqualTo(second(45));
    assertThat(fence.tick(now)).isEqualTo(second(79));
    assertThat(store.ttls).containsExactly(Duration.ofSeconds(60), Duration.ofSeconds(60));
  }

  @Test
  void aShorterTtlCountsFromBeforeItIsRequestedWhateverTheReply() {
    Lease lease = acquire("a");
    wakes.set(0);
    store.beforeRenewReturns =
        () -> {
          assertThat(fence.tick(now)).isEqualTo(second(9));
          assertThat(wakes).as("the fence is woken before the request is sent").hasPositiveValue();
          ScriptedLeaseStore.away().run();
        };

    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> lease.renew(Duration.ofSeconds(10)));

    assertThat(renewer.tick(now)).isEqualTo(new Moment(Duration.ofMillis(500).toNanos()));
    fenceAt(9);
    assertThat(lease.isHeld()).isFalse();
    assertThat(told).hasValue(1);
  }

  @Test
  void aTtlThatIsNotValidIsRejectedAndChangesNothing() {
    Lease lease = acquire("a");

    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> lease.renew(Duration.ofMillis(99)))
        .withMessageContaining("99 ms")
        .withMessageContaining("'a'")
        .withMessageContaining("100 ms to 365 days");

    assertThat(fence.tick(now)).isEqualTo(second(27));
    assertThat(store.ttls).isEmpty();
  }

  @Test
  void aLeaseThatIsLostOrReleasedCannotGetANewTtl() {
    Lease lost = acquire("a");
    Lease released = acquire("b");
    released.complete();
    now = second(27);

    assertThat(lost.renew(Duration.ofHours(1))).isFalse();
    assertThat(released.renew(Duration.ofHours(1))).isFalse();
    assertThat(store.ttls).isEmpty();
  }

  @Test
  void aCallbackRegisteredAfterTheLossIsCalledAtOnce() {
    Lease lease = acquire("a");
    fenceAt(27);

    lease.onLost(told::incrementAndGet);

    assertThat(told).hasValue(2);
  }

  @Test
  void noCallbackIsCalledAfterTheEnd() {
    Lease lease = acquire("a");
    lease.close();

    lease.onLost(told::incrementAndGet);
    fenceAt(100);
    held.close();

    assertThat(told).hasValue(0);
  }

  @Test
  void aCallbackThatThrowsDoesNotAffectOthers() {
    Lease lease = acquirer.acquire("a", TTL).orElseThrow();
    lease.onLost(() -> {
      throw new IllegalStateException("oops");
    });
    lease.onLost(told::incrementAndGet);

    fenceAt(27);

    assertThat(told).hasValue(1);
  }
}
