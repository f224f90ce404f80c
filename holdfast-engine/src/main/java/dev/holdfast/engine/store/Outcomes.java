package dev.holdfast.engine.store;

import java.util.List;
import java.util.Set;
import java.util.UUID;

/** Stores how attempts ended. */
public interface Outcomes {

  /** The result of writing a {@link Finish}. */
  enum Result {
    /** The finish is stored: by this call, or by an earlier one whose reply was lost. */
    WRITTEN,
    /** The job would have run again, but its cancellation was requested: it ended CANCELLED. */
    CANCELLED_INSTEAD,
    /** The job would have waited for a signal, but the signal is there: it is READY. */
    READY_INSTEAD,
    /** The claim was lost; nothing was changed. */
    LOST
  }

  /**
   * Writes all of these durably in one transaction, each guarded by state, incarnation and token.
   * The call can be repeated after a lost reply.
   *
   * @return one result per finish, in the order of the list
   */
  List<Result> finish(UUID incarnation, List<? extends Finish> finishes);

  /**
   * What the handler of a running job reported, as text that the store does not read.
   *
   * @param text replaces what was stored before
   */
  record Note(ClaimId claim, String text) {}

  /**
   * Stores notes, each guarded by state, incarnation and token. A job that another statement is
   * changing is skipped.
   *
   * @return the claims whose notes were stored
   */
  Set<ClaimId> note(UUID incarnation, List<Note> notes);
}
