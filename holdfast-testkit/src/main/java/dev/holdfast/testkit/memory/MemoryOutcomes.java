package dev.holdfast.testkit.memory;

import dev.holdfast.api.job.JobState;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.FailureSnapshot;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.Finish.Failure;
import dev.holdfast.engine.store.Journals.EntryKind;
import dev.holdfast.engine.store.Journals.JournalEntry;
import dev.holdfast.engine.store.Outcomes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** Stores the outcomes of attempts. */
final class MemoryOutcomes implements Outcomes {
  private final Tables tables;

  MemoryOutcomes(Tables tables) {
    this.tables = tables;
  }

  @Override
  public List<Result> finish(UUID incarnation, List<? extends Finish> finishes) {
    finishes.forEach(StorableText::require);
    return tables.transaction(now -> {
      List<Result> results = new ArrayList<>(finishes.size());
      for (Finish finish : finishes) {
        results.add(finish(incarnation, finish, now));
      }
      return List.copyOf(results);
    });
  }

  @Override
  public Set<ClaimId> note(UUID incarnation, List<Note> notes) {
    notes.forEach(StorableText::require);
    return tables.transaction(now -> {
      Set<ClaimId> written = new HashSet<>();
      for (Note note : notes) {
        JobRow row = tables.heldBy(incarnation, note.claim());
        if (row != null && row.state == JobState.RUNNING) {
          row.notes = note.text();
          written.add(note.claim());
        }
      }
      return written;
    });
  }

  private Result finish(UUID incarnation, Finish finish, Instant now) {
    JobRow row = tables.heldBy(incarnation, finish.claim());
    if (row == null || row.state != JobState.RUNNING) {
      return resultOfRepeat(finish);
    }
    if (row.step != null && finish instanceof Finish.Succeeded success && success.plain()) {
      return Result.LOST; // Its run would not be told.
    }
    row.finishedToken = row.token;
    return switch (finish) {
      case Finish.Succeeded succeeded -> succeed(row, succeeded, now);
      case Finish.Dead dead -> {
        note(row, dead.failure(), now);
        yield end(row, JobState.FAILED, now);
      }
      case Finish.Cancelled cancelled -> end(row, JobState.CANCELLED, now);
      case Finish.RetryIn retry -> {
        note(row, retry.failure(), now);
        yield again(row, retry.delay(), true, now);
      }
      case Finish.Parked parked -> park(row, parked, now);
      case Finish.Later later -> {
        row.attempt--;
        yield again(row, later.delay(), later.ran(), now);
      }
    };
  }

  private Result resultOfRepeat(Finish finish) {
    JobRow row = tables.find(finish.claim().id());
    if (row == null || row.finishedToken != finish.claim().token()) {
      return Result.LOST;
    }
    boolean askedToRunAgain =
        finish instanceof Finish.RetryIn
            || finish instanceof Finish.Later
            || finish instanceof Finish.Parked;
    return askedToRunAgain && row.state == JobState.CANCELLED
        ? Result.CANCELLED_INSTEAD
        : Result.WRITTEN;
  }

  private Result succeed(JobRow row, Finish.Succeeded succeeded, Instant now) {
    row.output = row.step == null ? null : succeeded.result();
    Duration keep = succeeded.keepResult();
    if (keep == null || keep.isPositive()) {
      row.result = succeeded.result();
      row.resultUntil = keep == null ? null : now.plus(keep);
    }
    return end(row, JobState.SUCCEEDED, now);
  }

  private Result end(JobRow row, JobState how, Instant now) {
    tables.end(row, how, now);
    return Result.WRITTEN;
  }

  private Result park(JobRow row, Finish.Parked parked, Instant now) {
    row.attempt--;
    row.startBy = null; // Only a job that never started can expire.
    if (row.cancelRequested) {
      return endInstead(row, now);
    }
    // A request that was executed after its own repeat may have received the signal meanwhile.
    JournalEntry known = row.journal.get(parked.entry().key());
    boolean received = known != null && known.kind() == EntryKind.RECEIVED;
    if (!received) {
      row.journal.put(parked.entry().key(), parked.entry());
    }
    row.runAt = now.plus(parked.wake());
    tables.park(row, parked.signal());
    boolean there = parked.signal() != null && row.hasSignal(parked.signal());
    if (!received && !there) {
      return Result.WRITTEN;
    }
    tables.wake(row, now);
    return row.state == JobState.READY ? Result.READY_INSTEAD : Result.WRITTEN;
  }

  private Result endInstead(JobRow row, Instant now) {
    tables.end(row, JobState.CANCELLED, now);
    return Result.CANCELLED_INSTEAD;
  }

  private Result again(JobRow row, Duration delay, boolean ran, Instant now) {
    if (row.cancelRequested) {
      return endInstead(row, now);
    }
    row.holder = null;
    row.runAt = now.plus(delay);
    if (ran) {
      row.startBy = null; // Only a job that never started can expire.
    }
    tables.queue(row, now);
    return Result.WRITTEN;
  }

  static void note(JobRow row, Failure failure, Instant now) {
    row.failures.add(
        new FailureSnapshot(
            failure.attempt(),
            failure.code(),
            failure.type(),
            failure.message(),
            failure.stackTrace(),
            failure.node(),
            row.startedAt,
            now));
  }
}
