package dev.holdfast.engine.held;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.job.JobId;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.ClaimRequest.Suspects;
import dev.holdfast.engine.store.Suspicion;
import dev.holdfast.engine.time.Moment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class SlowStartTest {
  private static final UUID NODE = new UUID(1, 1);
  private static final int PLENTY = 1_000;

  private final SlowStart suspects = new SlowStart(Duration.ofSeconds(60));
  private int lastJob;

  private static Moment at(long seconds) {
    return new Moment(Duration.ofSeconds(seconds).toNanos());
  }

  private Suspects reserve(long seconds) {
    return suspects.reserve(NODE, PLENTY, at(seconds));
  }

  private ClaimId claimed(long seconds, Suspicion suspicion) {
    ClaimId job = new ClaimId(new JobId(new UUID(2, ++lastJob)), 1);
    suspects.claimed(NODE, job, suspicion, at(seconds));
    return job;
  }

  private ClaimId started(long seconds, Suspicion suspicion) {
    ClaimId job = claimed(seconds, suspicion);
    suspects.started(job, at(seconds));
    return job;
  }

  /** Claims and starts as many crash suspects as the limit permits. */
  private List<ClaimId> fill(long seconds) {
    Suspects reserved = reserve(seconds);
    List<ClaimId> jobs = new ArrayList<>();
    for (int i = 0; i < reserved.most(); i++) {
      jobs.add(started(seconds, Suspicion.SLOW));
    }
    suspects.giveBack(NODE, reserved);
    return jobs;
  }

  @Test
  void theLimitStartsAtOneAndDoublesWithEachCrashSuspectThatEndsWell() {
    List<ClaimId> first = fill(0);
    assertThat(first).hasSize(1);
    assertThat(fill(0)).isEmpty();

    suspects.gone(first.getFirst());
    List<ClaimId> next = fill(0);
    assertThat(next).hasSize(2);

    suspects.gone(next.get(0));
    assertThat(fill(0)).as("four in total, one of which runs").hasSize(3);
    suspects.gone(next.get(1));
    assertThat(fill(0)).as("eight in total, three of which run").hasSize(5);
  }

  @Test
  void aCrashSuspectThatNeverStartedDoesNotRaiseTheLimit() {
    Suspects reserved = reserve(0);
    ClaimId job = claimed(0, Suspicion.SLOW);
    suspects.giveBack(NODE, reserved);

    assertThat(suspects.gone(job)).isTrue();

    assertThat(reserve(0).most()).isEqualTo(1);
  }

  @Test
  void noMoreAreReservedThanRequested() {
    for (int i = 0; i < 3; i++) {
      fill(0).forEach(suspects::gone);
    }

    assertThat(suspects.reserve(NODE, 2, at(0)).most()).isEqualTo(2);
    assertThat(reserve(0).most()).as("up to the limit").isGreaterThan(2);
  }

  @Test
  void anUnusedReservationIsFreeAgain() {
    Suspects reserved = reserve(0);
    assertThat(reserve(0)).isEqualTo(Suspects.NONE);
    assertThat(suspects.nextRoom(at(0))).as("when that claim has ended").isLessThan(at(1));

    suspects.giveBack(NODE, reserved);

    assertThat(reserve(0).most()).isEqualTo(1);
  }

  @Test
  void aNewIncarnationStartsAtOneAgain() {
    fill(0).forEach(suspects::gone);
    fill(0).forEach(suspects::gone);
    Suspects ofTheOld = reserve(0);
    UUID next = new UUID(1, 2);

    assertThat(suspects.reserve(next, PLENTY, at(1)).most()).isEqualTo(1);
    suspects.giveBack(NODE, ofTheOld);
    suspects.claimed(NODE, new ClaimId(new JobId(new UUID(2, 99)), 1), Suspicion.SLOW, at(1));
    assertThat(suspects.reserve(next, PLENTY, at(1))).isEqualTo(Suspects.NONE);
  }

  @Test
  void aCrashSuspectWithOneCrashLeftRunsAlone() {
    fill(0).forEach(suspects::gone);
    Suspects reserved = reserve(0);
    assertThat(reserved).isEqualTo(new Suspects(2, true));
    ClaimId lone = started(0, Suspicion.ALONE);
    suspects.giveBack(NODE, reserved);

    assertThat(reserve(1)).isEqualTo(Suspects.NONE);
    suspects.gone(lone);
    assertThat(reserve(2)).isEqualTo(new Suspects(4, true));
  }

  @Test
  void aCrashSuspectWithOneCrashLeftIsNotClaimedWhileOthersRun() {
    List<ClaimId> first = fill(0);
    first.forEach(suspects::gone);
    ClaimId running = fill(0).getFirst();
    suspects.gone(running);

    assertThat(reserve(0).lone()).as("one still runs").isFalse();
  }

  @Test
  void aLongRunningCrashSuspectCountsAsEndedWell() {
    assertThat(fill(0)).hasSize(1);
    assertThat(reserve(59)).isEqualTo(Suspects.NONE);
    assertThat(suspects.nextRoom(at(59))).isEqualTo(at(60));

    assertThat(reserve(60).most()).isEqualTo(2);
  }

  @Test
  void aLongRunningCrashSuspectThatRunsAloneCountsAsEndedWell() {
    Suspects reserved = reserve(0);
    ClaimId lone = started(0, Suspicion.ALONE);
    suspects.giveBack(NODE, reserved);

    assertThat(reserve(60)).isEqualTo(new Suspects(2, true));
    assertThat(suspects.gone(lone)).as("it had its effect before").isFalse();
  }

  @Test
  void aCrashSuspectThatCountedAsEndedDoesNotRaiseTheLimitAgain() {
    ClaimId slow = fill(0).getFirst();
    suspects.giveBack(NODE, reserve(60));

    suspects.gone(slow);

    assertThat(reserve(61).most()).isEqualTo(2);
  }

  @Test
  void aCrashSuspectThatIsPrefetchedForLongFreesItsReservation() {
    ClaimId waiting = claimed(-1, Suspicion.SLOW);
    assertThat(suspects.hasWaitedTooLong(waiting, at(100))).as("without an incarnation").isFalse();
    Suspects reserved = reserve(0);
    ClaimId job = claimed(0, Suspicion.SLOW);
    suspects.giveBack(NODE, reserved);

    assertThat(suspects.hasWaitedTooLong(job, at(59))).isFalse();
    assertThat(suspects.hasWaitedTooLong(job, at(60))).isTrue();
    suspects.started(job, at(60));
    assertThat(suspects.hasWaitedTooLong(job, at(200))).isFalse();
  }

  @Test
  void aStreamOfCrashSuspectsPausesForOneThatMustRunAlone() {
    fill(0).forEach(suspects::gone);
    Deque<ClaimId> running = new ArrayDeque<>(fill(0));
    for (long seconds = 10; seconds < 60; seconds += 10) {
      suspects.gone(running.removeFirst());
      List<ClaimId> more = fill(seconds);
      assertThat(more).as("at %d s", seconds).isNotEmpty();
      running.addAll(more);
    }
    while (running.size() > 1) {
      suspects.gone(running.removeFirst());
    }
    assertThat(reserve(60)).as("one still runs").isEqualTo(Suspects.NONE);

    suspects.gone(running.getFirst());

    assertThat(reserve(62).lone()).isTrue();
  }
}
