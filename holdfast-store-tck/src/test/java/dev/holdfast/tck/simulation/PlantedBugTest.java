package dev.holdfast.tck.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The simulation detects bugs that are planted around correct nodes. */
class PlantedBugTest {
  private static final int MOST_SEEDS = 2_000;

  @Test
  void uncheckedTokensAreDetected() {
    assertThat(found(PlantedBugs.noTokenCheck(), Invariant.NO_STALE_EFFECT)).isTrue();
  }

  @Test
  void nodesThatDoNotFenceThemselvesAreDetected() {
    assertThat(found(PlantedBugs.noSelfFencing(), Invariant.NO_STALE_EFFECT)).isTrue();
  }

  @Test
  void holdersThatLeaveNoMarginAreDetected() {
    assertThat(found(PlantedBugs.noMargin(), Invariant.NO_STALE_EFFECT)).isTrue();
  }

  @Test
  void relianceOnTheDatabaseClockIsDetected() {
    assertThat(found(PlantedBugs.stalenessByTheDatabaseClock(), Invariant.NO_STALE_EFFECT))
        .isTrue();
  }

  @Test
  void forgottenLostRepliesAreDetected() {
    assertThat(found(PlantedBugs.lostRepliesForgotten(), Invariant.EVERY_JOB_ENDS)).isTrue();
  }

  @Test
  void heartbeatsOfFencedNodesAreDetected() {
    assertThat(found(PlantedBugs.heartbeatsAfterFencing(), Invariant.EVERY_JOB_ENDS)).isTrue();
  }

  @Test
  void leasesThatEndTooEarlyAreDetected() {
    assertThat(found(PlantedBugs.shortLeases(), Invariant.HELD_LEASES_HAVE_TIME_LEFT)).isTrue();
  }

  @Test
  void aLeaseWithTwoHoldersIsDetected() {
    assertThat(found(PlantedBugs.busyLeasesTreatedAsGranted(), Invariant.LEASES_EXCLUDE)).isTrue();
  }

  @Test
  void leaseTokensThatStartOverAreDetected() {
    assertThat(found(PlantedBugs.leaseTokensStartOver(), Invariant.LEASE_TOKENS_GROW)).isTrue();
  }

  @Test
  void lostMarksAreDetected() {
    assertThat(found(PlantedRunBugs.lostMarks(), Invariant.EVERY_RUN_ENDS)).isTrue();
  }

  @Test
  void advancesWithoutALockAreDetected() {
    assertThat(found(PlantedRunBugs.noRunLock(), Invariant.A_STEP_ENDS_ONCE)).isTrue();
  }

  @Test
  void marksThatAreDeletedUnreadAreDetected() {
    assertThat(found(PlantedRunBugs.outcomesBeforeMarks(), Invariant.EVERY_RUN_ENDS)).isTrue();
  }

  @Test
  void expressAdvancesOfRunsThatHaveChangedAreDetected() {
    assertThat(found(PlantedRunBugs.expressWithoutSeq(), Invariant.EVENTS_REPLAY)).isTrue();
  }

  @Test
  void pausesThatMissClaimedJobsAreDetected() {
    assertThat(found(PlantedRunBugs.pauseWithoutClaimed(), Invariant.PAUSED_RUNS_START_NOTHING))
        .isTrue();
  }

  @Test
  void retriesInPausedRunsAreDetected() {
    assertThat(found(PlantedRunBugs.retriesIgnorePauses(), Invariant.PAUSED_RUNS_START_NOTHING))
        .isTrue();
  }

  @Test
  void journalsOfFormerHoldersAreDetected() {
    assertThat(found(PlantedRunBugs.journalWithoutToken(), Invariant.DURABLE_STEPS_STAY_DONE))
        .isTrue();
  }

  @Test
  void signalsThatAreLostWhileParkingAreDetected() {
    assertThat(found(PlantedRunBugs.parkWithoutLook(), Invariant.EVERY_JOB_ENDS)).isTrue();
  }

  @Test
  void limitsThatAdmitTooManyRunsAreDetected() {
    assertThat(found(PlantedRunBugs.limitsAdmitOneMore(), Invariant.LIMITS_ON_RUNS_HOLD)).isTrue();
  }

  @Test
  void limitsThatCountEndedRunsAreDetected() {
    assertThat(found(PlantedRunBugs.limitsCountEndedRuns(), Invariant.EVERY_RUN_ENDS)).isTrue();
  }

  @Test
  void deadlinesThatMissPausedRunsAreDetected() {
    assertThat(found(PlantedRunBugs.deadlinesMissPausedRuns(), Invariant.EVERY_RUN_ENDS)).isTrue();
  }

  @Test
  void rerunsWithoutResultsAreDetected() {
    assertThat(found(PlantedRunBugs.rerunsLoseResults(), Invariant.RERUNS_KEEP_RESULTS)).isTrue();
  }

  @Test
  void movesThatLeaveJobsBehindAreDetected() {
    assertThat(found(PlantedRunBugs.movesLeaveJobs(), Invariant.EVERY_RUN_ENDS)).isTrue();
  }

  @Test
  void transactionsWithoutAnEntryAreDetected() {
    assertThat(
            found(PlantedRunBugs.transactionsWithoutEntries(), Invariant.DURABLE_STEPS_STAY_DONE))
        .isTrue();
  }

  /** Returns whether one of some seeds violates this invariant. */
  private static boolean found(PlantedBug bug, Invariant expected) {
    return LongStream.range(0, MOST_SEEDS)
        .parallel()
        .mapToObj(seed -> Simulation.run(seed, bug))
        .anyMatch(report ->
            report.violation().filter(broken -> broken.invariant() == expected).isPresent());
  }
}
