package dev.holdfast.testkit.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.api.lease.Acquisition;
import dev.holdfast.api.lease.Lease;
import dev.holdfast.api.lease.LeaseBusyException;
import dev.holdfast.api.lease.StartupCoordinator;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class FakeLeasesTest {
  private final FakeLeases leases = new FakeLeases();

  @Test
  void aBusyKeyIsBusyUntilItIsFreed() {
    leases.setBusy("a", "b");
    assertThatExceptionOfType(LeaseBusyException.class)
        .isThrownBy(() -> leases.acquire("a").orElseThrow())
        .withMessageContaining("another process");

    leases.setFree("a");
    assertThat(leases.acquire("a")).isInstanceOf(Acquisition.Acquired.class);
    assertThat(leases.acquire("b")).isInstanceOf(Acquisition.Busy.class);
  }

  @Test
  void acquiredCompletedAndFailedKeysAreRecorded() {
    leases.acquire("a").orElseThrow().close();
    leases.acquire("b").orElseThrow().fail("no paper");
    leases.acquire("c");

    assertThat(leases.acquired()).containsExactly("a", "b", "c");
    assertThat(leases.completed()).containsExactly("a");
    assertThat(leases.failed()).containsEntry("b", "no paper").hasSize(1);
    assertThat(leases.held()).containsExactly("c");
  }

  @Test
  void aLeaseThatIsHeldCanBeRenewedWithANewTtl() {
    Lease lease = leases.acquire("a").orElseThrow();

    assertThat(lease.renew(Duration.ofSeconds(5))).isTrue();
    assertThat(leases.find("a").orElseThrow().remaining()).isEqualTo(Duration.ofSeconds(5));
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> lease.renew(Duration.ZERO))
        .withMessageContaining("100 ms to 365 days");

    lease.close();
    assertThat(lease.renew(Duration.ofSeconds(5))).isFalse();
  }

  @Test
  void losingALeaseNotifiesItsHolderAndFreesTheKey() {
    AtomicInteger notified = new AtomicInteger();
    Lease a = leases.acquire("a").orElseThrow();
    Lease b = leases.acquire("b").orElseThrow();
    a.onLost(notified::incrementAndGet);
    b.onLost(notified::incrementAndGet);

    leases.lose("a");
    assertThat(notified).hasValue(1);
    assertThat(a.isHeld()).isFalse();
    assertThat(a.complete()).isFalse();
    assertThat(leases.acquire("a").orElseThrow().attempt()).isEqualTo(2);

    leases.loseAll();
    assertThat(notified).hasValue(2);
    assertThat(leases.held()).isEmpty();
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> leases.lose("a"))
        .withMessageContaining("acquire it before");
  }

  @Test
  void aStartupActionRunsOnce() {
    StartupCoordinator startup = StartupCoordinator.over(leases);

    assertThat(startup.runOnce("drop", Duration.ofMinutes(1), () -> {})).isTrue();
    assertThat(startup.runOnce("drop", Duration.ofMinutes(1), () -> {})).isFalse();
    assertThat(startup.isDone("drop")).isTrue();
    assertThat(startup.release("drop")).isTrue();
    assertThat(startup.runOnce("drop", Duration.ofMinutes(1), () -> {})).isTrue();
  }

  @Test
  void aStartupActionWhoseLeaseWasLostIsNotDone() {
    StartupCoordinator startup = StartupCoordinator.over(leases);

    boolean done =
        startup.runOnce(
            "drop",
            Duration.ofMinutes(1),
            () -> {
              leases.lose("startup:drop");
              assertThat(Thread.currentThread().isInterrupted()).isTrue();
            });

    assertThat(done).isFalse();
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
    assertThat(startup.isDone("drop")).isFalse();
  }

  @Test
  void losingALeaseAfterTheActionDoesNotInterruptTheThread() {
    StartupCoordinator startup = StartupCoordinator.over(leases);
    startup.runOnce("drop", Duration.ofMinutes(1), () -> {});

    leases.loseAll();

    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }
}
