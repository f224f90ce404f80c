package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.SignalResult;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.Journals.EntryKey;
import dev.holdfast.engine.store.Journals.EntryKind;
import dev.holdfast.engine.store.Journals.JournalEntry;
import dev.holdfast.engine.store.Journals.Sent;
import dev.holdfast.engine.store.Journals.Taken;
import dev.holdfast.engine.store.Outcomes.Result;
import dev.holdfast.engine.store.RunIntake.NewSignal;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs of runs that wait for a time or a signal that their handler asked for. */
public abstract class ParkedStepContract extends RunContract {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final NewSignal APPROVED = new NewSignal("approved", "1", "\"yes\"");
  private static final EntryKey KEY = new EntryKey("approved", 1);

  private Worker worker;
  private ClaimedJob job;

  private RunId id;

  @BeforeEach
  void startRunning() {
    id = start(chain(1));
    worker = worker();
    job = worker.claimOne();
  }

  private Result sleep() {
    return worker.finish(
        new Finish.Parked(
            job.claim(),
            new JournalEntry(new EntryKey("nap", 1), EntryKind.SLEEP, null),
            HOUR,
            null));
  }

  private Result awaitSignal() {
    return worker.finish(
        new Finish.Parked(
            job.claim(), new JournalEntry(KEY, EntryKind.AWAITING, null), HOUR, "approved"));
  }

  @Test
  void aStepThatSleepsContinuesWhenItsTimeHasCome() {
    assertThat(sleep()).isEqualTo(Result.WRITTEN);
    assertThat(jobState(id, 0)).isEqualTo(JobState.WAITING);
    passTime(HOUR);
    stage();

    worker.succeed(worker.claimOne());
    settle();

    assertThat(row(id).steps()).isEqualTo("S");
  }

  @Test
  void aStepThatIsParkedWhileItsRunIsPausedIsOnHold() {
    pause(id);

    assertThat(sleep()).isEqualTo(Result.WRITTEN);
    passTime(HOUR);
    stage();
    assertThat(jobState(id, 0)).isEqualTo(JobState.ON_HOLD);

    resume(id);
    stage();
    assertThat(jobState(id, 0)).isEqualTo(JobState.READY);
  }

  @Test
  void aSleepingStepOfAPausedRunGoesOnSleepingAfterwards() {
    sleep();

    pause(id);
    assertThat(jobState(id, 0)).isEqualTo(JobState.ON_HOLD);
    resume(id);
    stage();

    assertThat(jobState(id, 0)).isEqualTo(JobState.WAITING);
  }

  @Test
  void aSignalDuringAPauseContinuesTheStepAfterwards() {
    awaitSignal();
    pause(id);

    assertThat(store.journals().signal(job.id(), APPROVED))
        .isEqualTo(new Sent(SignalResult.SENT, null));
    assertThat(jobState(id, 0)).isEqualTo(JobState.ON_HOLD);
    assertThat(worker.claim(1)).isEmpty();
    resume(id);

    assertThat(store.journals().take(worker.incarnation(), worker.claimOne().claim(), KEY))
        .isEqualTo(new Taken.Received("\"yes\""));
  }

  @Test
  void aSignalBeforeAStepOfAPausedRunIsParkedContinuesItAfterwards() {
    store.journals().signal(job.id(), APPROVED);
    pause(id);

    assertThat(awaitSignal()).isEqualTo(Result.WRITTEN);
    assertThat(jobState(id, 0)).isEqualTo(JobState.ON_HOLD);
    resume(id);

    assertThat(jobState(id, 0)).isEqualTo(JobState.READY);
  }

  @Test
  void aSignalThatALateRequestHasTakenIsNotAwaited() {
    assertThat(take(job)).isEqualTo(new Taken.Nothing());
    store.journals().signal(job.id(), APPROVED);
    assertThat(take(job))
        .as("a request that is executed after its own repeat")
        .isEqualTo(new Taken.Received("\"yes\""));

    assertThat(awaitSignal()).isEqualTo(Result.READY_INSTEAD);

    assertThat(take(worker.claimOne())).isEqualTo(new Taken.Received("\"yes\""));
    assertThat(store.journals().load(job.id()))
        .containsExactly(new JournalEntry(KEY, EntryKind.RECEIVED, "\"yes\""));
  }

  private Taken take(ClaimedJob held) {
    return store.journals().take(worker.incarnation(), held.claim(), KEY);
  }

  @Test
  void cancellingARunEndsItsWaitingStep() {
    sleep();

    cancel(id);
    settle();

    assertThat(jobState(id, 0)).isEqualTo(JobState.CANCELLED);
    assertThat(row(id).steps()).isEqualTo("C");
  }
}
