package dev.holdfast.engine.store;

import java.util.List;
import java.util.UUID;

/** How attempts ended. */
public interface Outcomes {

  /** What became of a {@link Finish}. */
  enum Result {
    /** It is in the books: by this call, or by an earlier one whose answer was lost. */
    WRITTEN,
    /** It would have run again, but somebody had asked to cancel it: it ended CANCELLED. */
    CANCELLED_INSTEAD,
    /** The claim was lost; nothing was changed. */
    LOST
  }

  /**
   * Write all of these, durably and each guarded by state, incarnation and token, in one
   * transaction. Repeatable after a lost answer.
   *
   * @return one answer per finish, in the order of the list
   */
  List<Result> finish(UUID incarnation, List<? extends Finish> finishes);
}
