package dev.holdfast.api.run;

import dev.holdfast.api.policy.FailureCode;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when the journal of a job does not match the durable steps that its handler executes. The
 * attempt fails with {@link FailureCode#JOURNAL_MISMATCH}: run the job with code that matches, for
 * example by means of {@link DurableSteps#patched}.
 */
public final class JournalMismatchException extends TaskFailure {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public JournalMismatchException(String message, @Nullable Throwable cause) {
    super(FailureCode.JOURNAL_MISMATCH, message, cause);
  }
}
