package dev.holdfast.engine.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.job.JobProgress;
import dev.holdfast.engine.codec.JobNotes;
import dev.holdfast.engine.codec.JobPolicy;
import dev.holdfast.engine.held.CurrentIncarnation;
import dev.holdfast.engine.held.HeldJob;
import dev.holdfast.engine.held.HeldJobs;
import dev.holdfast.engine.held.Tenure;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.Outcomes;
import dev.holdfast.engine.time.Moment;
import dev.holdfast.engine.time.Ticker;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class NotesWriterTest {
  private final Ticker ticker = Ticker.system();
  private final Tenure tenure =
      new Tenure(new UUID(1, 1), ticker, Duration.ofHours(1), () -> false, ticker.now());
  private final HeldJobs heldJobs = Jobs.none();
  private final SlowOutcomes outcomes = new SlowOutcomes();
  private final NotesWriter writer =
      new NotesWriter(outcomes, new CurrentIncarnation("node", tenure), heldJobs, () -> {});
  private final HeldJob heldJob = new HeldJob(Jobs.of("task", 1), 1, JobPolicy.NONE, tenure);

  @Test
  void theLastReportIsStoredAfterAnEarlierOneThatIsStillBeingWritten() throws Exception {
    heldJobs.add(heldJob);
    report(1);
    Thread role = Thread.ofVirtual().start(() -> writer.tick(ticker.now()));
    outcomes.entered.await();

    report(2);
    Thread handler = Thread.ofPlatform().start(() -> writer.saveLast(heldJob));
    await().until(() -> handler.getState() == Thread.State.WAITING);
    assertThat(outcomes.stored).isEmpty();
    outcomes.release.countDown();
    handler.join();
    role.join();

    assertThat(outcomes.stored).containsExactly(1L, 2L);
  }

  @Test
  void aReportThatCouldNotBeStoredIsStoredAtTheEndOfTheAttempt() throws Exception {
    heldJobs.add(heldJob);
    outcomes.release.countDown();
    outcomes.skips = true;
    report(1);
    writer.tick(ticker.now());
    outcomes.skips = false;

    writer.saveLast(heldJob);

    assertThat(outcomes.stored).containsExactly(1L);
  }

  @Test
  void anAttemptThatReportsNothingDoesNotWait() throws Exception {
    HeldJob other = new HeldJob(Jobs.of("task", 2), 1, JobPolicy.NONE, tenure);
    heldJobs.add(heldJob);
    report(1);
    Thread role = Thread.ofVirtual().start(() -> writer.tick(ticker.now()));
    outcomes.entered.await();

    writer.saveLast(other);

    outcomes.release.countDown();
    role.join();
    assertThat(outcomes.stored).containsExactly(1L);
  }

  @Test
  void noFailureOfNotesPreventsTheOutcomeFromBeingReported() {
    outcomes.release.countDown();
    outcomes.breaks = true;
    report(1);

    assertThatCode(() -> writer.saveLast(heldJob)).doesNotThrowAnyException();
  }

  @Test
  void reportsAreStoredAtMostOnceASecond() {
    heldJobs.add(heldJob);
    outcomes.release.countDown();
    Moment now = ticker.now();
    report(1);
    assertThat(writer.tick(now)).isEqualTo(Moment.NEVER);
    report(2);

    Moment next = writer.tick(now.plus(Duration.ofMillis(999)));

    assertThat(next).isEqualTo(now.plus(Duration.ofSeconds(1)));
    assertThat(outcomes.stored).containsExactly(1L);
    writer.tick(next);
    assertThat(outcomes.stored).containsExactly(1L, 2L);
  }

  private void report(long done) {
    heldJob.notes().report(new JobProgress(done, 2, "pages", Instant.EPOCH));
    writer.changed();
  }

  /** Stores notes in order once it is released, or skips them as if the job were locked. */
  private static final class SlowOutcomes implements Outcomes {
    final CountDownLatch entered = new CountDownLatch(1);
    final CountDownLatch release = new CountDownLatch(1);
    final List<Long> stored = new CopyOnWriteArrayList<>();
    volatile boolean skips;
    volatile boolean breaks;

    @Override
    public List<Result> finish(UUID incarnation, List<? extends Finish> finishes) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Set<ClaimId> note(UUID incarnation, List<Note> notes) {
      entered.countDown();
      try {
        release.await();
      } catch (InterruptedException stopped) {
        throw new IllegalStateException(stopped);
      }
      if (breaks) {
        throw new NoClassDefFoundError("a driver that was removed");
      }
      if (skips) {
        return Set.of();
      }
      notes.forEach(note -> stored.add(JobNotes.read(note.text()).progress().done()));
      return notes.stream().map(Note::claim).collect(Collectors.toSet());
    }
  }
}
