package dev.holdfast.api.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class PassThroughLeasesTest {
  private final Leases leases = Leases.passThrough();

  @Test
  void everyRequestIsGrantedWithAGrowingToken() {
    Lease first = leases.acquire("a").orElseThrow();
    Lease second = leases.acquire("a").orElseThrow();

    assertThat(first.isHeld()).isTrue();
    assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
  }

  @Test
  void aLeaseEndsOnce() {
    Lease lease = leases.acquire("a").orElseThrow();

    assertThat(lease.complete()).isTrue();
    assertThat(lease.isHeld()).isFalse();
    assertThat(lease.fail("late")).isFalse();
    assertThat(lease.renew()).isFalse();
    assertThat(lease.renew(Duration.ofMinutes(1))).isFalse();
  }

  @Test
  void invalidKeysAndTtlsAreRejected() {
    assertThatThrownBy(() -> leases.acquire("a", Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("0 s")
        .hasMessageContaining("100 ms to 365 days");
    assertThatThrownBy(() -> leases.acquire(" "))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Lease key ' '");
  }

  @Test
  void locksAndStartupActionsWorkWithPassThroughLeases() {
    assertThat(Locks.over(leases).tryLock("a").toOptional()).isPresent();
    assertThat(StartupCoordinator.over(leases).runOnce("a", Duration.ofMinutes(1), () -> {}))
        .isTrue();
  }
}
