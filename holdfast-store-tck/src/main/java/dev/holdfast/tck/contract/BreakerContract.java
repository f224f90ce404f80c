package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.internal.Times;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.WaitReason;
import dev.holdfast.api.policy.CircuitBreaker;
import dev.holdfast.api.task.BreakerState;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.TaskStore.Attempts;
import dev.holdfast.engine.store.TaskStore.Noted;
import dev.holdfast.engine.store.TaskStore.Rule;
import dev.holdfast.engine.store.TaskStore.Turn;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Circuit breakers of tasks. */
public abstract class BreakerContract extends Contract {
  private static final Duration WINDOW = Duration.ofMinutes(1);
  private static final Duration PAUSE = Duration.ofSeconds(30);
  private static final CircuitBreaker THREE = CircuitBreaker.after(3).within(WINDOW).openFor(PAUSE);
  private static final Rule DUE = new Rule(null, Duration.ZERO);

  private Worker worker;
  private Worker other;

  @BeforeEach
  void twoNodesAndManyJobs() {
    worker = worker("node-1");
    other = worker("node-2");
    enqueueAll(IntStream.range(0, 20).mapToObj(n -> job()).toArray(JobDraft[]::new));
  }

  private Noted failed(ClaimId... claims) {
    return store.tasks().report(new Attempts(TASK, THREE, List.of(claims), List.of()));
  }

  private Noted succeeded(ClaimId... claims) {
    return store.tasks().report(new Attempts(TASK, THREE, List.of(), List.of(claims)));
  }

  private static ClaimId anyClaim() {
    return new ClaimId(freshId(), 1);
  }

  private void open() {
    assertThat(failed(anyClaim(), anyClaim(), anyClaim()).turn()).isEqualTo(Turn.OPENED);
  }

  private void openAndPassItsPause() {
    open();
    passTime(PAUSE.plusSeconds(1));
  }

  private List<ClaimedJob> claimKnowingTheBreaker(Worker who) {
    return who.claimAlone(TASK, 2, 2, DUE);
  }

  private ClaimedJob probe(Worker who) {
    List<ClaimedJob> claimed = claimKnowingTheBreaker(who);
    assertThat(claimed).hasSize(1);
    return claimed.get(0);
  }

  private BreakerState state() {
    return store.tasks().list().stream()
        .filter(status -> status.task().equals(TASK))
        .findAny()
        .orElseThrow()
        .breaker();
  }

  @Test
  void theBreakerMayStayOpenIndefinitely() {
    CircuitBreaker lasting = CircuitBreaker.after(1).within(Times.LONGEST).openFor(Times.LONGEST);

    Noted noted = store.tasks().report(new Attempts(TASK, lasting, List.of(anyClaim()), List.of()));

    assertThat(noted.turn()).isEqualTo(Turn.OPENED);
    passTime(Duration.ofDays(400));
    assertThat(claimKnowingTheBreaker(worker)).isEmpty();
  }

  @Test
  void theBreakerOpensWithTheFailureThatReachesItsThreshold() {
    assertThat(failed(anyClaim())).isEqualTo(new Noted(Turn.NONE, Rule.NONE));
    assertThat(failed(anyClaim()).turn()).isEqualTo(Turn.NONE);

    Noted third = failed(anyClaim());

    assertThat(third.turn()).isEqualTo(Turn.OPENED);
    assertThat(third.rule().shut()).isEqualTo(PAUSE);
    assertThat(state()).isEqualTo(BreakerState.OPEN);
  }

  @Test
  void failuresOlderThanTheWindowDoNotCount() {
    failed(anyClaim(), anyClaim());
    passTime(WINDOW.plusSeconds(1));

    assertThat(failed(anyClaim(), anyClaim()).turn()).isEqualTo(Turn.NONE);
    assertThat(failed(anyClaim()).turn()).isEqualTo(Turn.OPENED);
  }

  @Test
  void concurrentlyReportedFailuresAreAllCountedAndOneReportOpensTheBreaker() throws Exception {
    List<Turn> turns = Together.run(8, n -> failed(anyClaim()).turn());

    assertThat(turns).containsOnlyOnce(Turn.OPENED);
  }

  @Test
  void aTaskWithCountedFailuresIsClaimedNormally() {
    failed(anyClaim(), anyClaim());

    assertThat(worker.claim(5)).hasSize(5);
    assertThat(worker.beat().tasks()).isEmpty();
  }

  @Test
  void nothingIsClaimedWhileTheBreakerIsOpen() {
    open();

    assertThat(worker.claim(5)).isEmpty();
    assertThat(claimKnowingTheBreaker(worker)).isEmpty();
    assertThat(worker.claimAlone(TASK, 1, 0, Rule.NONE)).isEmpty();
    passTime(PAUSE.minusSeconds(5));
    assertThat(claimKnowingTheBreaker(other)).isEmpty();
  }

  @Test
  void otherTasksAreClaimedWhileTheBreakerIsOpen() {
    Worker both = Worker.join(store, "both", QUEUE, TASK, "other");
    enqueue(job().task("other"));
    open();

    assertThat(both.claim(5)).extracting(ClaimedJob::task).containsExactly("other");
  }

  @Test
  void jobsThatWaitForTheBreakerStayReadyAndUseNoAttempt() {
    JobId waiting = enqueue(job());
    openAndPassItsPause();
    claimKnowingTheBreaker(worker);
    claimKnowingTheBreaker(other);

    assertThat(find(waiting).state()).isEqualTo(JobState.READY);
    assertThat(find(waiting).attempt()).isZero();
  }

  @Test
  void afterThePauseOneTrialJobIsClaimedAndStarted() {
    openAndPassItsPause();

    ClaimedJob probe = probe(worker);

    assertThat(probe.started()).isTrue();
    assertThat(state()).isEqualTo(BreakerState.HALF_OPEN);
    assertThat(claimKnowingTheBreaker(worker)).isEmpty();
    assertThat(claimKnowingTheBreaker(other)).isEmpty();
  }

  @Test
  void aNodeThatDoesNotKnowTheBreakerClaimsNothingEvenAfterThePause() {
    openAndPassItsPause();

    assertThat(worker.claim(5)).isEmpty();
  }

  @Test
  void ofManyNodesOneClaimsTheTrialJob() throws Exception {
    List<Worker> workers = IntStream.range(0, 8).mapToObj(n -> worker("many-" + n)).toList();
    openAndPassItsPause();

    List<Integer> claimed = Together.run(8, n -> claimKnowingTheBreaker(workers.get(n)).size());

    assertThat(claimed.stream().mapToInt(Integer::intValue).sum()).isEqualTo(1);
  }

  @Test
  void theSuccessOfTheTrialJobClosesTheBreaker() {
    openAndPassItsPause();
    ClaimedJob probe = probe(worker);
    worker.succeed(probe);

    assertThat(succeeded(probe.claim())).isEqualTo(new Noted(Turn.CLOSED, Rule.NONE));
    assertThat(state()).isEqualTo(BreakerState.CLOSED);
    assertThat(other.claim(5)).hasSize(5);
  }

  @Test
  void theFailureOfTheTrialJobOpensTheBreakerForTheSameTimeAgain() {
    openAndPassItsPause();
    ClaimedJob probe = probe(worker);
    worker.retryIn(probe, Duration.ofHours(1));

    assertThat(failed(probe.claim())).isEqualTo(new Noted(Turn.OPENED, new Rule(null, PAUSE)));
    assertThat(claimKnowingTheBreaker(other)).isEmpty();
    passTime(PAUSE.plusSeconds(1));
    probe(other);
  }

  @Test
  void outcomesOfOtherJobsAreIgnoredWhileTheBreakerIsNotClosed() {
    ClaimedJob earlier = worker.claimOne();
    openAndPassItsPause();
    assertThat(succeeded(earlier.claim()).turn()).isEqualTo(Turn.NONE);
    assertThat(failed(earlier.claim(), anyClaim()).turn()).isEqualTo(Turn.NONE);
    probe(other);

    assertThat(succeeded(earlier.claim()).turn()).isEqualTo(Turn.NONE);
    assertThat(failed(earlier.claim()).turn()).isEqualTo(Turn.NONE);
    assertThat(state()).isEqualTo(BreakerState.HALF_OPEN);
  }

  @Test
  void aRepeatedReportOfTheTrialJobCausesOneTransition() {
    openAndPassItsPause();
    ClaimedJob probe = probe(worker);
    worker.succeed(probe);

    assertThat(succeeded(probe.claim()).turn()).isEqualTo(Turn.CLOSED);
    assertThat(succeeded(probe.claim()).turn()).isEqualTo(Turn.NONE);
  }

  @Test
  void whileTheTrialJobRunsNoOtherIsClaimedHoweverLongItTakes() {
    openAndPassItsPause();
    probe(worker);
    passTime(PAUSE.multipliedBy(5));

    assertThat(claimKnowingTheBreaker(other)).isEmpty();
  }

  @Test
  void ifTheTrialJobEndsWithoutAReportAnotherIsClaimedLater() {
    openAndPassItsPause();
    ClaimedJob probe = probe(worker);
    worker.giveBack(probe.claim());

    assertThat(claimKnowingTheBreaker(other)).isEmpty();
    passTime(PAUSE.plusSeconds(1));
    probe(other);
    assertThat(claimKnowingTheBreaker(worker)).isEmpty();
  }

  @Test
  void withoutATrialJobTheBreakerStaysOpenAndDue() {
    worker.claim(20);
    openAndPassItsPause();

    assertThat(claimKnowingTheBreaker(worker)).isEmpty();
    assertThat(state()).isEqualTo(BreakerState.OPEN);
    enqueue(job());
    probe(worker);
  }

  @Test
  void theLimitOfTheTaskAppliesToTheTrialJob() {
    worker.claim(1);
    store.tasks().limit(TASK, 1);
    openAndPassItsPause();

    assertThat(other.claimAlone(TASK, 1, 0, new Rule(1, Duration.ZERO))).isEmpty();
    assertThat(state()).isEqualTo(BreakerState.OPEN);
  }

  @Test
  void aHeartbeatReportsHowMuchLongerTheBreakerStaysOpen() {
    open();
    passTime(Duration.ofSeconds(10));

    Rule rule = worker.beat().tasks().getOrDefault(TASK, Rule.NONE);

    assertThat(rule.shut()).isBetween(Duration.ofSeconds(15), Duration.ofSeconds(20));
    passTime(PAUSE);
    assertThat(worker.beat().tasks()).containsEntry(TASK, DUE);
    assertThat(store.tasks().rules()).containsEntry(TASK, DUE);
  }

  @Test
  void aJobWaitsBecauseTheBreakerOfItsTaskIsOpen() {
    JobId waiting = enqueue(job());
    open();

    assertThat(store.queries().whyWaiting(waiting))
        .hasValueSatisfying(reason -> {
          assertThat(reason).isInstanceOf(WaitReason.BreakerOpen.class);
          assertThat(reason.describe()).contains(TASK);
        });
  }

  @Test
  void anOperatorCanCloseTheBreaker() {
    open();

    assertThat(store.tasks().closeBreaker(TASK)).isTrue();
    assertThat(store.tasks().closeBreaker(TASK)).isFalse();
    assertThat(store.tasks().closeBreaker("never-heard-of")).isFalse();
    assertThat(worker.claim(5)).hasSize(5);
  }

  @Test
  void aReportOfAnUnknownHolderIsIgnored() {
    openAndPassItsPause();
    ClaimedJob probe = probe(worker);

    assertThat(succeeded(new ClaimId(probe.id(), probe.token() + 1)).turn()).isEqualTo(Turn.NONE);
  }
}
