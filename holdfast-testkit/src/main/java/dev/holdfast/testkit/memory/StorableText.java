package dev.holdfast.testkit.memory;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.StoreException.Outcome;
import dev.holdfast.api.job.JobId;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.Finish.Failure;
import dev.holdfast.engine.store.Journals;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.engine.store.NewRun;
import dev.holdfast.engine.store.Outcomes;
import dev.holdfast.engine.store.Recovery.RecoveryAction;
import dev.holdfast.engine.store.RunIntake;
import java.util.Arrays;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Refuses the texts that PostgreSQL cannot store, so that a test in memory fails in the same way as
 * production.
 */
final class StorableText {
  private StorableText() {}

  /** Refuses a job that contains NUL. */
  static void require(NewJob job) {
    Stream<@Nullable String> texts =
        Stream.of(
            job.content().task(),
            job.content().queue(),
            job.content().payload(),
            job.content().policy(),
            job.unique() == null ? null : job.unique().value());
    if (Stream.concat(texts, job.content().tags().stream()).anyMatch(StorableText::hasNul)) {
      throw refused("Job %s".formatted(job.id()));
    }
  }

  /** Refuses a run that contains NUL. */
  static void require(NewRun run) {
    Stream<@Nullable String> texts =
        Stream.of(
            run.content().workflow(),
            run.content().input(),
            run.content().label(),
            run.content().source().startedBy(),
            run.content().unique() == null ? null : run.content().unique().value());
    if (Stream.concat(texts, run.content().tags().stream()).anyMatch(StorableText::hasNul)) {
      throw refused("Run %s".formatted(run.id()));
    }
    run.first().jobs().forEach(job -> require(job.job()));
  }

  /** Refuses notes that contain NUL. */
  static void require(Outcomes.Note note) {
    if (hasNul(note.text())) {
      throw refused("The notes of job %s".formatted(note.claim().id()));
    }
  }

  /** Refuses an outcome that contains NUL. */
  static void require(Finish finish) {
    boolean bad =
        switch (finish) {
          case Finish.Succeeded succeeded -> hasNul(succeeded.result());
          case Finish.RetryIn retry -> hasNul(retry.failure());
          case Finish.Dead dead -> hasNul(dead.failure());
          case Finish.Later later -> false;
          case Finish.Parked parked -> hasNul(parked.entry());
          case Finish.Cancelled cancelled -> false;
        };
    if (bad) {
      throw refused("The outcome of job %s".formatted(finish.claim().id()));
    }
  }

  /** Refuses a journal entry that contains NUL. */
  static void require(JobId job, Journals.JournalEntry entry) {
    if (hasNul(entry)) {
      throw refused("A journal entry of job %s".formatted(job));
    }
  }

  /** Refuses a signal that contains NUL. */
  static void require(JobId job, RunIntake.NewSignal signal) {
    if (hasNul(signal.name(), signal.id(), signal.payload())) {
      throw refused("A signal to job %s".formatted(job));
    }
  }

  /** Refuses a recovery action that contains NUL. */
  static void require(RecoveryAction action) {
    boolean bad =
        switch (action) {
          case RecoveryAction.NotStarted notStarted -> false;
          case RecoveryAction.AfterFencing fenced -> false;
          case RecoveryAction.AfterCrash crash -> hasNul(crash.failure());
          case RecoveryAction.DeadLetter bury -> hasNul(bury.failure());
        };
    if (bad) {
      throw refused("The recovery action for job %s".formatted(action.claim().id()));
    }
  }

  private static boolean hasNul(Journals.JournalEntry entry) {
    return hasNul(entry.key().name(), entry.output());
  }

  private static boolean hasNul(Failure failure) {
    return hasNul(
        failure.code(), failure.type(), failure.message(), failure.stackTrace(), failure.node());
  }

  private static boolean hasNul(@Nullable String... texts) {
    return Arrays.stream(texts).anyMatch(StorableText::hasNul);
  }

  private static boolean hasNul(@Nullable String text) {
    return text != null && text.indexOf('\0') >= 0;
  }

  private static StoreException refused(String what) {
    return new StoreException(
        Outcome.REFUSED,
        what
            + " contains the character NUL, which cannot be stored as text: remove it. Nothing of"
            + " this batch was written.",
        null);
  }
}
