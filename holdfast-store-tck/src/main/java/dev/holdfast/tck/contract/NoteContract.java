package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobLogLine;
import dev.holdfast.api.job.JobProgress;
import dev.holdfast.engine.codec.JobNotes;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Outcomes.Note;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Progress and log lines that handlers report while they run. */
public abstract class NoteContract extends Contract {
  private static final Instant NOW = Instant.parse("2026-07-01T12:00:00Z");
  private static final JobNotes NOTES =
      new JobNotes(
          new JobProgress(1, 2, "half", NOW),
          List.of(new JobLogLine(NOW, 1, "a line\u0000\ud800")));

  private Set<ClaimId> note(Worker worker, ClaimId claim) {
    return store.outcomes().note(worker.incarnation(), List.of(new Note(claim, NOTES.write())));
  }

  private void assertNoted(JobId id) {
    Job job = find(id);
    assertThat(job.progress()).isEqualTo(NOTES.progress());
    assertThat(job.log()).hasSize(1);
    assertThat(job.log().get(0).text()).startsWith("a line");
  }

  @Test
  void notesOfARunningJobAreStoredAndKept() {
    Worker worker = worker();
    JobId id = enqueue(job());
    ClaimedJob running = worker.claimOne();
    assertThat(running.notes()).isNull();

    assertThat(note(worker, running.claim())).containsExactly(running.claim());
    assertNoted(id);

    worker.retryIn(running, Duration.ZERO);
    assertNoted(id);
    ClaimedJob again = worker.claimOne();
    assertThat(JobNotes.read(again.notes()).progress()).isEqualTo(NOTES.progress());
    worker.failPermanently(again);
    assertNoted(id);
    store.control().retry(id);
    assertNoted(id);
    worker.succeed(worker.claimOne());
    assertNoted(id);
  }

  @Test
  void onlyTheHolderOfARunningJobStoresNotes() {
    Worker worker = worker("mine");
    JobId id = enqueue(job());
    ClaimedJob claimed = worker.prefetchOne();
    assertThat(note(worker, claimed.claim())).as("not started").isEmpty();
    worker.start(claimed.claim());

    assertThat(note(worker("other"), claimed.claim())).as("not the holder").isEmpty();
    assertThat(note(worker, new ClaimId(id, claimed.token() - 1))).as("stale").isEmpty();
    assertThat(find(id).progress()).isNull();

    worker.succeed(claimed);
    assertThat(note(worker, claimed.claim())).as("ended").isEmpty();
    assertThat(find(id).progress()).isNull();
  }

  @Test
  void aJobKnowsItsParent() {
    JobId parent = enqueue(job());
    JobId child = enqueue(job().childOf(parent));

    assertThat(find(child).parent()).isEqualTo(parent);
    assertThat(find(parent).parent()).isNull();
  }
}
