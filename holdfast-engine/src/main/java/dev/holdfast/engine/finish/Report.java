package dev.holdfast.engine.finish;

import dev.holdfast.engine.held.HeldJob;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.time.Moment;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of one attempt, until the store has confirmed it. Used by the Completer's thread
 * only.
 */
final class Report {
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(5);
  private static final Duration LAST_PAUSE = Duration.ofMinutes(5);

  final HeldJob heldJob;

  /** How the attempt ended; empty to hand the job back. */
  final Optional<Finish> finish;

  final long size;
  boolean written;

  /** When the Completer first saw it. */
  Moment since = Moment.NEVER;

  /** When it may be retried after it failed alone; null as long as it has not. */
  private @Nullable Moment notBefore;

  private Duration pause = FIRST_PAUSE;
  private long othersWritten;

  private Report(HeldJob heldJob, Optional<Finish> finish) {
    this.heldJob = heldJob;
    this.finish = finish;
    this.size = length(heldJob.job().payload()) + finish.map(Report::length).orElse(0L);
  }

  /** Returns the report that an attempt ended. */
  static Report of(HeldJob heldJob, Finish finish) {
    return new Report(heldJob, Optional.of(finish));
  }

  /** Returns the report that a job is handed back without using an attempt. */
  static Report ofHandBack(HeldJob heldJob) {
    return new Report(heldJob, Optional.empty());
  }

  /**
   * Records that this report failed although it was written alone: from now on it must not delay
   * others. The pauses grow as long as others can be written meanwhile; otherwise the store may
   * simply be unavailable.
   *
   * @param groupsWritten how many groups have been written so far
   */
  void failedAlone(Moment now, long groupsWritten) {
    Duration longer =
        pause.multipliedBy(2).compareTo(LAST_PAUSE) < 0 ? pause.multipliedBy(2) : LAST_PAUSE;
    pause = notBefore != null && wasOvertaken(groupsWritten) ? longer : FIRST_PAUSE;
    othersWritten = groupsWritten;
    notBefore = now.plus(pause);
  }

  /** Returns whether it is written alone, since it failed that way before. */
  boolean isAlone() {
    return notBefore != null;
  }

  /** Returns whether others were written since it failed. */
  boolean wasOvertaken(long groupsWritten) {
    return groupsWritten > othersWritten;
  }

  /** Returns when it may be written. */
  Moment dueAt() {
    return notBefore == null ? since : notBefore;
  }

  private static long length(Finish finish) {
    return switch (finish) {
      case Finish.Succeeded done -> length(done.result());
      case Finish.RetryIn retry -> length(retry.failure());
      case Finish.Dead dead -> length(dead.failure());
      case Finish.Later later -> 0L;
      case Finish.Parked parked -> 0L;
      case Finish.Cancelled cancelled -> 0L;
    };
  }

  private static long length(Finish.Failure failure) {
    return length(failure.message()) + length(failure.stackTrace());
  }

  private static long length(@Nullable String text) {
    return text == null ? 0 : text.length();
  }
}
