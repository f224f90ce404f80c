package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.job.CancelResult;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.RequeueResult;
import dev.holdfast.api.job.SignalResult;
import dev.holdfast.api.job.WaitReason;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.Journals;
import dev.holdfast.engine.store.Journals.EntryKey;
import dev.holdfast.engine.store.Journals.EntryKind;
import dev.holdfast.engine.store.Journals.JournalEntry;
import dev.holdfast.engine.store.Journals.Taken;
import dev.holdfast.engine.store.Outcomes.Result;
import dev.holdfast.engine.store.RunIntake.NewSignal;
import dev.holdfast.engine.store.Staging;
import dev.holdfast.engine.store.Upkeep.Retention;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** How durable steps are stored, how jobs are parked, and what signals do. */
public abstract class JournalContract extends Contract {
  private static final String APPROVED = "approved";
  private static final Duration HOUR = Duration.ofHours(1);

  private Journals journals;
  private Worker worker;

  @BeforeEach
  void join() {
    journals = store.journals();
    worker = worker();
  }

  private static JournalEntry ran(String name, int occurrence, @Nullable String output) {
    return new JournalEntry(new EntryKey(name, occurrence), EntryKind.RUN, output);
  }

  private static JournalEntry slept() {
    return new JournalEntry(new EntryKey("nap", 1), EntryKind.SLEEP, null);
  }

  private static EntryKey awaiting(int occurrence) {
    return new EntryKey(APPROVED, occurrence);
  }

  private boolean append(ClaimId claim, JournalEntry entry) {
    return journals.append(worker.incarnation(), claim, entry);
  }

  private Result sleep(ClaimedJob job, Duration time) {
    return worker.finish(new Finish.Parked(job.claim(), slept(), time, null));
  }

  private Result await(ClaimedJob job, int occurrence) {
    return worker.finish(
        new Finish.Parked(
            job.claim(),
            new JournalEntry(awaiting(occurrence), EntryKind.AWAITING, null),
            HOUR,
            APPROVED));
  }

  private Taken take(ClaimedJob job, int occurrence) {
    return journals.take(worker.incarnation(), job.claim(), awaiting(occurrence));
  }

  private SignalResult signal(JobId id, String signalId, @Nullable String payload) {
    return journals.signal(id, new NewSignal(APPROVED, signalId, payload)).result();
  }

  private ClaimedJob claimNew() {
    enqueue(job());
    return worker.claimOne();
  }

  @Test
  void entriesAreReadInTheOrderInWhichTheyWereWritten() {
    ClaimedJob job = claimNew();

    assertThat(append(job.claim(), ran("z", 1, "\"first\""))).isTrue();
    assertThat(append(job.claim(), ran("a", 1, null))).isTrue();
    assertThat(append(job.claim(), ran("z", 2, "3"))).isTrue();

    assertThat(journals.load(job.id()))
        .containsExactly(ran("z", 1, "\"first\""), ran("a", 1, null), ran("z", 2, "3"));
  }

  @Test
  void aJobThatNeverExecutedAStepHasNoJournal() {
    assertThat(journals.load(enqueue(job()))).isEmpty();
    assertThat(journals.load(freshId())).isEmpty();
  }

  @Test
  void anAppendIsRepeatableAfterALostReply() {
    ClaimedJob job = claimNew();

    assertThat(append(job.claim(), ran("a", 1, "1"))).isTrue();
    assertThat(append(job.claim(), ran("a", 1, "1"))).isTrue();

    assertThat(journals.load(job.id())).containsExactly(ran("a", 1, "1"));
  }

  @Test
  void aJournalIsKeptWhenTheJobIsRetried() {
    ClaimedJob job = claimNew();
    append(job.claim(), ran("a", 1, "1"));
    worker.retryIn(job, Duration.ZERO);

    assertThat(journals.load(worker.claimOne().id())).containsExactly(ran("a", 1, "1"));
  }

  @Test
  void aStaleHolderCannotWrite() {
    ClaimedJob stale = claimNew();
    worker.retryIn(stale, Duration.ZERO);
    ClaimedJob current = worker.claimOne();

    assertThat(append(stale.claim(), ran("a", 1, "\"stale\""))).isFalse();
    assertThat(append(current.claim(), ran("b", 1, null))).isTrue();

    assertThat(journals.load(stale.id())).containsExactly(ran("b", 1, null));
  }

  @Test
  void anotherIncarnationCannotWrite() {
    ClaimedJob job = claimNew();
    Worker other = worker("other");
    signal(job.id(), "1", null);

    assertThat(journals.append(other.incarnation(), job.claim(), ran("a", 1, null))).isFalse();
    assertThat(journals.take(other.incarnation(), job.claim(), awaiting(1)))
        .isEqualTo(new Taken.Lost());
    assertThat(journals.load(job.id())).isEmpty();
  }

  @Test
  void aJobThatHasNotStartedCannotWrite() {
    enqueue(job());
    ClaimedJob claimed = worker.prefetchOne();

    assertThat(append(claimed.claim(), ran("a", 1, null))).isFalse();
  }

  @Test
  void aJobThatEndedCannotWrite() {
    ClaimedJob job = claimNew();
    worker.succeed(job);

    assertThat(append(job.claim(), ran("a", 1, null))).isFalse();
  }

  @Test
  void largeAndUnusualResultsAreStoredUnchanged() {
    ClaimedJob job = claimNew();
    JournalEntry large = ran("größe 💡 'x' \"y\"", 1, "\"" + "ä".repeat(500_000) + "\"");

    append(job.claim(), large);

    assertThat(journals.load(job.id())).containsExactly(large);
  }

  @Test
  void aParkedJobWaitsWithoutAHolderAndUsesNoAttempt() {
    ClaimedJob job = claimNew();

    assertThat(sleep(job, HOUR)).isEqualTo(Result.WRITTEN);

    assertThat(find(job.id()).state()).isEqualTo(JobState.WAITING);
    assertThat(find(job.id()).attempt()).isZero();
    assertThat(store.nodes().holderOf(job.id())).isEmpty();
    assertThat(journals.load(job.id())).containsExactly(slept());
    assertThat(worker.claim(1)).isEmpty();
  }

  @Test
  void aParkedJobRunsUnderTheNextTokenAndTheSameAttempt() {
    ClaimedJob job = claimNew();
    sleep(job, HOUR);
    passTime(HOUR);
    stage();

    ClaimedJob again = worker.claimOne();

    assertThat(again.id()).isEqualTo(job.id());
    assertThat(again.token()).isEqualTo(job.token() + 1);
    assertThat(again.attempt()).isEqualTo(job.attempt());
  }

  @Test
  void stagingMakesASleepingJobReadyWhenItsTimeHasCome() {
    ClaimedJob job = claimNew();
    sleep(job, HOUR);

    Staging.Report early = stage();
    passTime(HOUR);
    Staging.Report due = stage();

    assertThat(early.readied()).isEmpty();
    assertThat(early.next())
        .hasValueSatisfying(
            next -> assertThat(next).isBetween(HOUR.minus(Duration.ofMinutes(5)), HOUR));
    assertThat(due.readied()).containsEntry(QUEUE, 1);
    assertThat(stateOf(job.id())).isEqualTo(JobState.READY);
  }

  @Test
  void aSleepThatIsOverIsStagedThoughItsStartByTimeHasPassed() {
    enqueue(job().startWithin(Duration.ofMinutes(1)));
    ClaimedJob job = worker.claimOne();
    sleep(job, HOUR);
    passTime(HOUR);

    assertThat(stage().expired()).isZero();
    assertThat(stateOf(job.id())).isEqualTo(JobState.READY);
  }

  @Test
  void parkingIsRepeatableAfterALostReply() {
    ClaimedJob job = claimNew();

    assertThat(sleep(job, HOUR)).isEqualTo(Result.WRITTEN);
    assertThat(sleep(job, HOUR)).isEqualTo(Result.WRITTEN);

    assertThat(find(job.id()).attempt()).isZero();
    assertThat(journals.load(job.id())).containsExactly(slept());
  }

  @Test
  void aStaleHolderCannotPark() {
    ClaimedJob stale = claimNew();
    worker.giveBack(stale.claim());
    worker.claimOne();

    assertThat(sleep(stale, HOUR)).isEqualTo(Result.LOST);

    assertThat(stateOf(stale.id())).isEqualTo(JobState.RUNNING);
    assertThat(journals.load(stale.id())).isEmpty();
  }

  @Test
  void jobsCanBeParkedTogetherWithOtherOutcomes() {
    enqueueAll(job(), job(), job());
    List<ClaimedJob> held = worker.claim(3);

    List<Result> results =
        worker.finishAll(
            List.of(
                new Finish.Succeeded(held.get(0).claim(), null, null),
                new Finish.Parked(held.get(1).claim(), slept(), HOUR, null),
                new Finish.Parked(
                    held.get(2).claim(),
                    new JournalEntry(awaiting(1), EntryKind.AWAITING, null),
                    HOUR,
                    APPROVED)));

    assertThat(results).containsOnly(Result.WRITTEN);
    assertThat(held)
        .extracting(job -> stateOf(job.id()))
        .containsExactly(JobState.SUCCEEDED, JobState.WAITING, JobState.WAITING);
  }

  @Test
  void cancellingAWaitingJobEndsIt() {
    ClaimedJob job = claimNew();
    sleep(job, HOUR);

    assertThat(store.control().cancel(job.id())).isEqualTo(CancelResult.CANCELLED);
    assertThat(stateOf(job.id())).isEqualTo(JobState.CANCELLED);
  }

  @Test
  void aJobWhoseCancellationWasRequestedIsNotParked() {
    ClaimedJob job = claimNew();
    store.control().cancel(job.id());

    assertThat(sleep(job, HOUR)).isEqualTo(Result.CANCELLED_INSTEAD);
    assertThat(stateOf(job.id())).isEqualTo(JobState.CANCELLED);
    assertThat(sleep(job, HOUR)).isEqualTo(Result.CANCELLED_INSTEAD);
  }

  @Test
  void requeueingAWaitingJobEndsItsWait() {
    ClaimedJob job = claimNew();
    sleep(job, HOUR);

    assertThat(store.control().requeue(job.id())).isEqualTo(RequeueResult.READY);
    assertThat(worker.claimOne().id()).isEqualTo(job.id());
  }

  @Test
  void whyWaitingNamesTheSignalThatAJobAwaits() {
    ClaimedJob sleeping = claimNew();
    sleep(sleeping, HOUR);
    ClaimedJob waiting = claimNew();
    await(waiting, 1);

    assertThat(store.queries().whyWaiting(sleeping.id()))
        .contains(new WaitReason.Parked(null, find(sleeping.id()).runAt()));
    assertThat(store.queries().whyWaiting(waiting.id()))
        .contains(new WaitReason.Parked(APPROVED, find(waiting.id()).runAt()));
  }

  @Test
  void aSignalMakesTheJobReadyThatAwaitsIt() {
    ClaimedJob job = claimNew();
    assertThat(await(job, 1)).isEqualTo(Result.WRITTEN);
    assertThat(stateOf(job.id())).isEqualTo(JobState.WAITING);

    Journals.Sent sent = journals.signal(job.id(), new NewSignal(APPROVED, "1", "\"yes\""));

    assertThat(sent).isEqualTo(new Journals.Sent(SignalResult.SENT, QUEUE));
    assertThat(take(worker.claimOne(), 1)).isEqualTo(new Taken.Received("\"yes\""));
    assertThat(journals.load(job.id()))
        .containsExactly(new JournalEntry(awaiting(1), EntryKind.RECEIVED, "\"yes\""));
  }

  @Test
  void aSignalOfAnotherNameWakesNothing() {
    ClaimedJob job = claimNew();
    await(job, 1);

    Journals.Sent sent = journals.signal(job.id(), new NewSignal("rejected", "1", null));

    assertThat(sent).isEqualTo(new Journals.Sent(SignalResult.SENT, null));
    assertThat(stateOf(job.id())).isEqualTo(JobState.WAITING);
  }

  @Test
  void aSignalDoesNotEndASleep() {
    ClaimedJob job = claimNew();
    sleep(job, HOUR);

    signal(job.id(), "1", null);

    assertThat(stateOf(job.id())).isEqualTo(JobState.WAITING);
  }

  @Test
  void aSignalThatIsThereKeepsTheJobFromWaiting() {
    ClaimedJob job = claimNew();
    signal(job.id(), "1", "1");

    assertThat(await(job, 1)).isEqualTo(Result.READY_INSTEAD);
    assertThat(stateOf(job.id())).isEqualTo(JobState.READY);
  }

  @Test
  void aSignalThatWasTakenDoesNotKeepTheJobFromWaiting() {
    ClaimedJob job = claimNew();
    signal(job.id(), "1", "1");
    take(job, 1);

    assertThat(await(job, 2)).isEqualTo(Result.WRITTEN);
    assertThat(stateOf(job.id())).isEqualTo(JobState.WAITING);
  }

  @Test
  void signalsAreTakenOnceAndOldestFirst() {
    ClaimedJob job = claimNew();
    signal(job.id(), "b", "1");
    signal(job.id(), "a", "2");

    assertThat(take(job, 1)).isEqualTo(new Taken.Received("1"));
    assertThat(take(job, 2)).isEqualTo(new Taken.Received("2"));
    assertThat(take(job, 3)).isEqualTo(new Taken.Nothing());
  }

  @Test
  void takingIsRepeatableAfterALostReply() {
    ClaimedJob job = claimNew();
    signal(job.id(), "a", "1");
    signal(job.id(), "b", "2");

    assertThat(take(job, 1)).isEqualTo(new Taken.Received("1"));
    assertThat(take(job, 1)).isEqualTo(new Taken.Received("1"));
    assertThat(take(job, 2)).isEqualTo(new Taken.Received("2"));
  }

  @Test
  void aSignalWithoutAPayloadIsReceived() {
    ClaimedJob job = claimNew();
    signal(job.id(), "a", null);

    assertThat(take(job, 1)).isEqualTo(new Taken.Received(null));
  }

  @Test
  void aSecondSignalOfTheSameIdIsIgnoredEvenIfTheFirstWasTaken() {
    ClaimedJob job = claimNew();

    assertThat(signal(job.id(), "a", "1")).isEqualTo(SignalResult.SENT);
    assertThat(signal(job.id(), "a", "2")).isEqualTo(SignalResult.DUPLICATE);
    assertThat(take(job, 1)).isEqualTo(new Taken.Received("1"));
    assertThat(signal(job.id(), "a", "3")).isEqualTo(SignalResult.DUPLICATE);
    assertThat(take(job, 2)).isEqualTo(new Taken.Nothing());
  }

  @Test
  void aSignalCanBeSentBeforeTheJobStarts() {
    JobId id = enqueue(job().dueIn(HOUR));
    assertThat(signal(id, "a", "1")).isEqualTo(SignalResult.SENT);
    passTime(HOUR);
    stage();

    assertThat(take(worker.claimOne(), 1)).isEqualTo(new Taken.Received("1"));
  }

  @Test
  void aSignalToAJobThatHasEndedOrIsUnknownIsRefused() {
    ClaimedJob done = claimNew();
    worker.succeed(done);
    ClaimedJob failed = claimNew();
    worker.failPermanently(failed);

    assertThat(signal(done.id(), "a", null)).isEqualTo(SignalResult.ENDED);
    assertThat(signal(failed.id(), "a", null)).isEqualTo(SignalResult.ENDED);
    assertThat(signal(freshId(), "a", null)).isEqualTo(SignalResult.NOT_FOUND);
  }

  /** Whichever comes first, the job must not wait while its signal is there. */
  @RepeatedTest(20)
  void aSignalThatArrivesWhileTheJobIsParkedIsNotMissed() throws Exception {
    ClaimedJob job = claimNew();
    CountDownLatch go = new CountDownLatch(1);
    AtomicReference<Result> parked = new AtomicReference<>();
    Thread parking =
        Thread.ofPlatform()
            .start(() -> {
              awaitQuietly(go);
              parked.set(await(job, 1));
            });
    Thread sending =
        Thread.ofPlatform()
            .start(() -> {
              awaitQuietly(go);
              signal(job.id(), "a", "1");
            });
    go.countDown();
    parking.join();
    sending.join();

    assertThat(parked.get()).isIn(Result.WRITTEN, Result.READY_INSTEAD);
    assertThat(stateOf(job.id())).isEqualTo(JobState.READY);
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException unexpected) {
      throw new IllegalStateException(unexpected);
    }
  }

  @Test
  void theJournalOfADeadLetteredJobIsThereWhenItIsRetried() {
    ClaimedJob job = claimNew();
    append(job.claim(), ran("a", 1, "1"));
    worker.failPermanently(job);
    tidy();

    store.control().retry(job.id());

    assertThat(journals.load(worker.claimOne().id())).containsExactly(ran("a", 1, "1"));
  }

  @Test
  void theJournalOfAJobThatSucceededIsDeleted() {
    ClaimedJob job = claimNew();
    append(job.claim(), ran("a", 1, "1"));
    ClaimedJob live = claimNew();
    append(live.claim(), ran("a", 1, "1"));
    signal(live.id(), "a", "1");
    worker.succeed(job);

    tidy();

    assertThat(journals.load(job.id())).isEmpty();
    assertThat(journals.load(live.id())).hasSize(1);
    assertThat(take(live, 1)).isEqualTo(new Taken.Received("1"));
  }

  private void tidy() {
    store.upkeep().tidy(new Retention(Duration.ofDays(7), Duration.ofDays(30)));
  }
}
