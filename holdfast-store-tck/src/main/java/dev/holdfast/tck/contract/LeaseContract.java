package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.lease.LeaseInfo;
import dev.holdfast.api.lease.LeaseRequest;
import dev.holdfast.api.lease.LeaseState;
import dev.holdfast.engine.store.LeaseStore.Ending;
import dev.holdfast.engine.store.LeaseStore.LeaseClaim;
import dev.holdfast.engine.store.LeaseStore.Renewal;
import dev.holdfast.engine.store.LeaseStore.Result;
import dev.holdfast.engine.store.LeaseStore.Result.Granted;
import dev.holdfast.engine.store.LeaseStore.Result.Taken;
import dev.holdfast.engine.store.Upkeep.Retention;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Acquiring, renewing and ending leases. */
public abstract class LeaseContract extends Contract {
  private static final String KEY = "invoice:42";
  private static final Duration TTL = Duration.ofMinutes(2);
  private static final Duration TOO_LONG = TTL.plusSeconds(1);
  private static final Ending DONE = new Ending.Done();
  private static final Ending FAILED = new Ending.Failed("no paper");

  private Result ask(String key, UUID acquisition) {
    return store.leases().acquire(LeaseRequest.of(key, TTL), acquisition, "node-1");
  }

  private Result askOnce(String key) {
    return store.leases().acquire(new LeaseRequest(key, TTL, true), UUID.randomUUID(), "node-2");
  }

  private Granted acquire(String key) {
    Result result = ask(key, UUID.randomUUID());
    assertThat(result).isInstanceOf(Granted.class);
    return (Granted) result;
  }

  private Set<Long> renew(String key, long token) {
    return store.leases().renew(List.of(Renewal.extend(new LeaseClaim(key, token), TTL)));
  }

  private boolean end(String key, Granted grant, Ending how) {
    return store.leases().end(new LeaseClaim(key, grant.token()), how);
  }

  private LeaseInfo info(String key) {
    return store.leases().find(key).orElseThrow();
  }

  /** Brings the lease of a holder into a state. */
  private Granted bringTo(String key, LeaseState state) {
    Granted grant = acquire(key);
    switch (state) {
      case CLAIMED -> {}
      case DONE -> assertThat(end(key, grant, DONE)).isTrue();
      case FAILED -> assertThat(end(key, grant, FAILED)).isTrue();
      case EXPIRED -> {
        passTime(TOO_LONG);
        assertThat(store.leases().reclaimExpired(PLENTY)).hasSize(1);
      }
    }
    assertThat(info(key).state()).isEqualTo(state);
    return grant;
  }

  @Test
  void aFreeLeaseIsGranted() {
    Granted grant = acquire(KEY);

    LeaseInfo info = info(KEY);
    assertThat(grant.attempt()).isEqualTo(1);
    assertThat(info.state()).isEqualTo(LeaseState.CLAIMED);
    assertThat(info.holder()).isEqualTo("node-1");
    assertThat(info.fencingToken()).isEqualTo(grant.token());
    assertThat(info.remaining()).isBetween(TTL.minusSeconds(30), TTL);
    assertThat(info.isHeld()).isTrue();
    assertThat(info.endedAt()).isNull();
  }

  @Test
  void aHeldLeaseIsNotGrantedAndItsHolderIsReturned() {
    acquire(KEY);

    Result result = ask(KEY, UUID.randomUUID());

    assertThat(result)
        .isInstanceOfSatisfying(
            Taken.class,
            taken -> {
              assertThat(taken.by().key()).isEqualTo(KEY);
              assertThat(taken.by().holder()).isEqualTo("node-1");
              assertThat(taken.by().remaining()).isBetween(TTL.minusSeconds(30), TTL);
            });
  }

  @Test
  void ofConcurrentAcquirersExactlyOneWins() throws Exception {
    List<Result> results = Together.run(12, i -> ask(KEY, UUID.randomUUID()));

    assertThat(results).filteredOn(Granted.class::isInstance).hasSize(1);
    assertThat(results).filteredOn(Taken.class::isInstance).hasSize(11);
  }

  @Test
  void ofConcurrentAcquirersOfAnExpiredLeaseExactlyOneWins() throws Exception {
    acquire(KEY);
    passTime(TOO_LONG);

    List<Result> results = Together.run(12, i -> ask(KEY, UUID.randomUUID()));

    assertThat(results).filteredOn(Granted.class::isInstance).hasSize(1);
    assertThat(info(KEY).attempt()).isEqualTo(2);
  }

  @Test
  void successiveHoldersHaveGrowingTokens() throws Exception {
    List<Integer> grants =
        Together.run(
            6,
            i -> {
              int won = 0;
              long before = 0;
              for (int round = 0; round < 30; round++) {
                if (ask(KEY, UUID.randomUUID()) instanceof Granted grant) {
                  // No other holder can have acquired the lease in between with a smaller token.
                  assertThat(info(KEY).fencingToken()).isEqualTo(grant.token());
                  assertThat(grant.token()).isGreaterThan(before);
                  before = grant.token();
                  assertThat(end(KEY, grant, DONE)).isTrue();
                  won++;
                }
              }
              return won;
            });

    assertThat(grants.stream().mapToInt(Integer::intValue).sum()).isPositive();
  }

  @Test
  void anExpiredLeaseIsGrantedUnderANewTokenAndTheNextAttempt() {
    Granted first = acquire(KEY);
    passTime(TOO_LONG);
    Granted second = acquire(KEY);
    passTime(TOO_LONG);
    Granted third = acquire(KEY);

    assertThat(second.isSteal()).isTrue();
    assertThat(List.of(first.attempt(), second.attempt(), third.attempt()))
        .containsExactly(1, 2, 3);
    assertThat(List.of(first.token(), second.token(), third.token()))
        .isSorted()
        .doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @EnumSource(names = {"DONE", "FAILED", "EXPIRED"})
  void aLeaseThatEndedCanBeAcquiredAgain(LeaseState state) {
    Granted first = bringTo(KEY, state);

    Granted second = acquire(KEY);

    assertThat(second.token()).isGreaterThan(first.token());
    assertThat(second.attempt()).isEqualTo(state == LeaseState.EXPIRED ? 2 : 1);
    assertThat(info(KEY).state()).isEqualTo(LeaseState.CLAIMED);
    assertThat(info(KEY).detail()).isNull();
    assertThat(info(KEY).endedAt()).isNull();
  }

  @Test
  void tokensGrowAcrossAllKeys() {
    long a = acquire("a").token();
    long b = acquire("b").token();
    long c = acquire("c").token();

    assertThat(List.of(a, b, c)).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void aRepeatedRequestReturnsTheGrantedLease() {
    UUID acquisition = UUID.randomUUID();
    Granted first = (Granted) ask(KEY, acquisition);
    passTime(TTL.dividedBy(2));

    Result repeat = ask(KEY, acquisition);

    assertThat(repeat).isEqualTo(first);
    assertThat(info(KEY).remaining()).isGreaterThan(TTL.dividedBy(2).plusSeconds(5));
  }

  @ParameterizedTest
  @EnumSource(names = {"DONE", "FAILED"})
  void aRequestThatArrivesAfterItsOwnLeaseEndedIsNotGrantedAgain(LeaseState state) {
    UUID acquisition = UUID.randomUUID();
    Granted grant = (Granted) ask(KEY, acquisition);
    end(KEY, grant, state == LeaseState.DONE ? DONE : FAILED);

    assertThat(ask(KEY, acquisition)).isInstanceOf(Taken.class);
    assertThat(info(KEY).state()).isEqualTo(state);
  }

  @Test
  void aRenewalGrantsTheWholeTtlAgain() {
    Granted grant = acquire(KEY);
    passTime(Duration.ofSeconds(100));

    assertThat(renew(KEY, grant.token())).containsExactly(grant.token());
    passTime(Duration.ofSeconds(100));

    assertThat(ask(KEY, UUID.randomUUID())).isInstanceOf(Taken.class);
  }

  @Test
  void manyLeasesAreRenewedInOneCallExceptLostOnes() {
    Granted a = acquire("a");
    Granted b = acquire("b");
    Granted c = acquire("c");
    end("b", b, DONE);

    Set<Long> renewed =
        store
            .leases()
            .renew(
                List.of(
                    Renewal.extend(new LeaseClaim("c", c.token()), TTL),
                    Renewal.extend(new LeaseClaim("b", b.token()), TTL),
                    Renewal.extend(new LeaseClaim("never", 99_999_999), TTL),
                    Renewal.extend(new LeaseClaim("a", a.token()), TTL)));

    assertThat(renewed).containsExactlyInAnyOrder(a.token(), c.token());
  }

  private Set<Long> reset(String key, long token, Duration ttl) {
    return store.leases().renew(List.of(Renewal.reset(new LeaseClaim(key, token), ttl)));
  }

  private void extend(String key, long token, Duration ttl) {
    assertThat(store.leases().renew(List.of(Renewal.extend(new LeaseClaim(key, token), ttl))))
        .containsExactly(token);
  }

  @Test
  void aRenewalThatMayShortenTheTtlGrantsExactlyThatTtl() {
    Granted grant = acquire(KEY);

    assertThat(reset(KEY, grant.token(), TTL.multipliedBy(3))).containsExactly(grant.token());
    assertThat(info(KEY).remaining()).isBetween(TTL.multipliedBy(2), TTL.multipliedBy(3));

    assertThat(reset(KEY, grant.token(), TTL.dividedBy(4))).containsExactly(grant.token());
    assertThat(info(KEY).remaining()).isBetween(Duration.ofMillis(1), TTL.dividedBy(4));
    passTime(TTL.dividedBy(4).plusSeconds(1));
    assertThat(acquire(KEY).attempt()).isEqualTo(2);
  }

  @Test
  void aRenewalThatOnlyExtendsNeverShortensTheTtl() {
    Granted grant = acquire(KEY);

    extend(KEY, grant.token(), TTL.dividedBy(4));

    assertThat(info(KEY).remaining()).isBetween(TTL.dividedBy(2), TTL);
    end(KEY, grant, DONE);
    passTime(TTL.dividedBy(2));
    assertThat(askOnce(KEY)).as("done, and its TTL is not over").isInstanceOf(Taken.class);
  }

  @Test
  void aCompletedLeaseStaysBusyForItsNewTtl() {
    Granted grant = acquire(KEY);
    reset(KEY, grant.token(), TTL.multipliedBy(3));
    end(KEY, grant, DONE);

    passTime(TTL.multipliedBy(2));
    assertThat(askOnce(KEY)).isInstanceOf(Taken.class);
    passTime(TTL.plusSeconds(1));
    assertThat(askOnce(KEY)).isInstanceOf(Granted.class);
  }

  @Test
  void aStaleTokenChangesNoTtl() {
    Granted stale = acquire(KEY);
    passTime(TOO_LONG);
    acquire(KEY);

    assertThat(reset(KEY, stale.token(), Duration.ofMillis(100))).isEmpty();

    assertThat(info(KEY).remaining()).isBetween(TTL.minusSeconds(30), TTL);
  }

  @Test
  void aRepeatThatIsExecutedLateDoesNotShortenTheTtl() {
    UUID acquisition = UUID.randomUUID();
    Granted grant = (Granted) ask(KEY, acquisition);
    reset(KEY, grant.token(), TTL.multipliedBy(3));

    assertThat(ask(KEY, acquisition)).isEqualTo(grant);

    assertThat(info(KEY).remaining()).isBetween(TTL.multipliedBy(2), TTL.multipliedBy(3));
    end(KEY, grant, DONE);
    passTime(TTL.multipliedBy(2));
    assertThat(askOnce(KEY)).as("done, and its TTL is not over").isInstanceOf(Taken.class);
  }

  @Test
  void anExpiredLeaseCannotBeRenewedEvenIfItIsFree() {
    Granted grant = acquire(KEY);
    passTime(TOO_LONG);

    assertThat(renew(KEY, grant.token())).isEmpty();
  }

  @Test
  void aStaleTokenRenewsNothingAndEndsNothing() {
    Granted stale = acquire(KEY);
    passTime(TOO_LONG);
    Granted thief = acquire(KEY);

    assertThat(renew(KEY, stale.token())).isEmpty();
    assertThat(end(KEY, stale, DONE)).isFalse();
    assertThat(end(KEY, stale, FAILED)).isFalse();
    assertThat(info(KEY).state()).isEqualTo(LeaseState.CLAIMED);
    assertThat(info(KEY).fencingToken()).isEqualTo(thief.token());
  }

  @Test
  void anExpiredLeaseThatIsStillFreeCanBeCompleted() {
    Granted grant = acquire(KEY);
    passTime(TOO_LONG);

    assertThat(end(KEY, grant, DONE)).isTrue();
    assertThat(acquire(KEY).attempt()).isEqualTo(1);
  }

  @Test
  void aReclaimedLeaseCannotBeCompleted() {
    Granted grant = bringTo(KEY, LeaseState.EXPIRED);

    assertThat(end(KEY, grant, DONE)).isFalse();
    assertThat(renew(KEY, grant.token())).isEmpty();
    assertThat(info(KEY).state()).isEqualTo(LeaseState.EXPIRED);
  }

  @Test
  void aRepeatedEndIsRecognisedAndADifferentEndIsNot() {
    Granted grant = bringTo(KEY, LeaseState.DONE);

    assertThat(end(KEY, grant, DONE)).isTrue();
    assertThat(end(KEY, grant, FAILED)).isFalse();
    assertThat(info(KEY).state()).isEqualTo(LeaseState.DONE);
  }

  @Test
  void aFailureIsStoredWithItsDetail() {
    bringTo(KEY, LeaseState.FAILED);

    assertThat(info(KEY).detail()).isEqualTo("no paper");
    assertThat(info(KEY).endedAt()).isNotNull();
  }

  @Test
  void aCompletedLeaseBlocksOnceOnlyRequestsForItsTtl() {
    bringTo(KEY, LeaseState.DONE);
    passTime(TTL.minusSeconds(30));
    assertThat(askOnce(KEY))
        .isInstanceOfSatisfying(
            Taken.class, taken -> assertThat(taken.by().state()).isEqualTo(LeaseState.DONE));

    passTime(Duration.ofSeconds(31));
    assertThat(askOnce(KEY)).isInstanceOf(Granted.class);
  }

  @Test
  void aFailedLeaseIsFreeForOnceOnlyRequests() {
    bringTo(KEY, LeaseState.FAILED);

    assertThat(askOnce(KEY)).isInstanceOf(Granted.class);
  }

  @Test
  void aCompletedLeaseCanBeReopenedAndAHeldOneCannot() {
    Granted held = acquire(KEY);
    assertThat(store.leases().reopen(KEY)).isFalse();
    assertThat(store.leases().reopen("never")).isFalse();
    end(KEY, held, DONE);

    assertThat(store.leases().reopen(KEY)).isTrue();
    assertThat(store.leases().reopen(KEY)).isFalse();
    assertThat(askOnce(KEY)).isInstanceOf(Granted.class);
  }

  @Test
  void expiredLeasesAreReclaimedOldestFirstUpToALimit() {
    acquire("c");
    passTime(Duration.ofSeconds(1));
    acquire("a");
    passTime(Duration.ofSeconds(1));
    acquire("b");
    passTime(TOO_LONG);
    acquire("held");

    assertThat(store.leases().reclaimExpired(2))
        .extracting(LeaseInfo::key)
        .containsExactly("c", "a");
    assertThat(store.leases().reclaimExpired(2))
        .hasSize(1)
        .allSatisfy(info -> {
          assertThat(info.key()).isEqualTo("b");
          assertThat(info.state()).isEqualTo(LeaseState.EXPIRED);
          assertThat(info.remaining()).isZero();
        });
    assertThat(store.leases().reclaimExpired(2)).isEmpty();
    assertThat(info("held").state()).isEqualTo(LeaseState.CLAIMED);
  }

  @Test
  void eachExpiredLeaseIsReclaimedOnce() throws Exception {
    for (int i = 0; i < 20; i++) {
      acquire("key-" + i);
    }
    passTime(TOO_LONG);

    List<List<LeaseInfo>> reclaimed = Together.run(4, i -> store.leases().reclaimExpired(PLENTY));

    assertThat(reclaimed.stream().flatMap(List::stream).map(LeaseInfo::key))
        .hasSize(20)
        .doesNotHaveDuplicates();
  }

  @Test
  void leasesAreListedByKeyInPagesAndByState() {
    acquire("c");
    end("b", acquire("b"), DONE);
    acquire("a");
    acquire("B");

    assertThat(store.leases().list(null, null, 3))
        .extracting(LeaseInfo::key)
        .containsExactly("B", "a", "b");
    assertThat(store.leases().list(null, "b", 3)).extracting(LeaseInfo::key).containsExactly("c");
    assertThat(store.leases().list(LeaseState.CLAIMED, "B", 9))
        .extracting(LeaseInfo::key)
        .containsExactly("a", "c");
  }

  @Test
  void anUnknownLeaseIsNotFound() {
    assertThat(store.leases().find(KEY)).isEmpty();
  }

  @Test
  void leasesThatEndedLongAgoAreDeletedAndTheOthersAreKept() {
    Retention retention = new Retention(Duration.ofDays(10), Duration.ofDays(30));
    Granted old = bringTo("old", LeaseState.DONE);
    acquire("silent");
    Granted counts =
        (Granted)
            store
                .leases()
                .acquire(
                    new LeaseRequest("counts", Duration.ofDays(30), true),
                    UUID.randomUUID(),
                    "node-1");
    end("counts", counts, DONE);
    passTime(Duration.ofDays(12));
    bringTo("new", LeaseState.FAILED);

    store.upkeep().tidy(retention);

    assertThat(store.leases().list(null, null, 9))
        .extracting(LeaseInfo::key)
        .containsExactly("counts", "new", "silent");
    assertThat(acquire("old").token()).isGreaterThan(old.token());
  }

  @Test
  void expiredLeasesAreKeptAsLongAsDeadLetteredJobs() {
    Retention retention = new Retention(Duration.ofDays(10), Duration.ofDays(30));
    Granted abandoned = acquire("abandoned");
    passTime(Duration.ofDays(28));
    store.upkeep().tidy(retention);
    assertThat(info("abandoned").state()).isEqualTo(LeaseState.CLAIMED);

    passTime(Duration.ofDays(3));
    acquire("held");
    store.upkeep().tidy(retention);

    assertThat(store.leases().list(null, null, 9))
        .extracting(LeaseInfo::key)
        .containsExactly("held");
    assertThat(end("abandoned", abandoned, DONE)).isFalse();
    Granted again = acquire("abandoned");
    assertThat(again.token()).isGreaterThan(abandoned.token());
    assertThat(again.attempt()).isEqualTo(1);
  }
}
