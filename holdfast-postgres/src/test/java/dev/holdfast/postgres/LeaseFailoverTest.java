package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.holdfast.api.lease.LeaseInfo;
import dev.holdfast.api.lease.LeaseRequest;
import dev.holdfast.engine.store.LeaseStore;
import dev.holdfast.engine.store.LeaseStore.LeaseClaim;
import dev.holdfast.engine.store.LeaseStore.Renewal;
import dev.holdfast.engine.store.LeaseStore.Result;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Leases after a failover to a server with another clock. */
class LeaseFailoverTest {
  private static final String KEY = "invoice:42";
  private static final Duration TTL = Duration.ofMinutes(2);

  private static PostgresFixture fixture;

  private LeaseStore leases;
  private LeaseClaim held;

  @BeforeAll
  static void open() {
    fixture = new PostgresFixture();
  }

  @AfterAll
  static void close() {
    fixture.close();
  }

  @BeforeEach
  void acquireALease() {
    leases = fixture.emptied().store().leases();
    held = new LeaseClaim(KEY, granted(acquire("holder")));
  }

  private Result acquire(String holder) {
    return leases.acquire(LeaseRequest.of(KEY, TTL), UUID.randomUUID(), holder);
  }

  private static long granted(Result result) {
    assertThat(result).isInstanceOf(Result.Granted.class);
    return ((Result.Granted) result).token();
  }

  private static LeaseInfo taken(Result result) {
    assertThat(result).isInstanceOf(Result.Taken.class);
    return ((Result.Taken) result).by();
  }

  /** The lease was granted by a server that was started at another time. */
  private static void failOverToAClockThatIsAheadBy(Duration ahead) {
    fixture.passTime(ahead);
    fixture.execute("update holdfast.lease set server = server - 1");
  }

  private static void assertNearly(Duration actual, Duration expected) {
    assertThat(actual.toMillis()).isCloseTo(expected.toMillis(), within(20_000L));
  }

  @ParameterizedTest
  @ValueSource(ints = {3_600, -3_600})
  void aLeaseIsNotGrantedAgainAlthoughTheNewClockIsAhead(int secondsAhead) {
    failOverToAClockThatIsAheadBy(Duration.ofSeconds(secondsAhead));

    assertThat(leases.find(KEY)).hasValueSatisfying(info -> assertThat(info.isHeld()).isTrue());
    assertNearly(taken(acquire("other")).remaining(), TTL);
  }

  @Test
  void theHolderRenewsItsLeaseOnTheNewClock() {
    failOverToAClockThatIsAheadBy(Duration.ofHours(1));

    assertThat(leases.renew(List.of(Renewal.extend(held, TTL)))).containsExactly(held.token());

    fixture.passTime(TTL.minusSeconds(10));
    assertThat(taken(acquire("other")).holder()).isEqualTo("holder");
  }

  @Test
  void theLeaseOfADeadHolderExpiresOnTheNewClock() {
    failOverToAClockThatIsAheadBy(Duration.ofHours(-1));
    taken(acquire("other"));
    fixture.passTime(TTL.plusSeconds(1));

    assertThat(granted(acquire("other"))).isGreaterThan(held.token());

    assertThat(leases.renew(List.of(Renewal.extend(held, TTL)))).isEmpty();
    assertThat(leases.end(held, new LeaseStore.Ending.Done())).isFalse();
  }

  @Test
  void aLeaseIsNotReclaimedUntilItExpiresOnTheNewClock() {
    failOverToAClockThatIsAheadBy(Duration.ofHours(1));

    assertThat(leases.reclaimExpired(10)).isEmpty();
    fixture.passTime(TTL.plusSeconds(1));
    assertThat(leases.reclaimExpired(10)).extracting(LeaseInfo::key).containsExactly(KEY);
  }

  /** A server that sets its own clock forward is not noticed; tokens protect what is written. */
  @Test
  void aClockSetForwardOnTheSameServerFreesALeaseAndInvalidatesItsToken() {
    fixture.passTime(Duration.ofHours(1));

    long token = granted(acquire("other"));

    assertThat(token).isGreaterThan(held.token());
    assertThat(leases.renew(List.of(Renewal.extend(held, TTL)))).isEmpty();
    assertThat(leases.end(held, new LeaseStore.Ending.Done())).isFalse();
    assertThat(leases.renew(List.of(Renewal.extend(new LeaseClaim(KEY, token), TTL))))
        .containsExactly(token);
  }
}
