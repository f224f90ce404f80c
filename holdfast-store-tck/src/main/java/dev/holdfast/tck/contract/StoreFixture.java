package dev.holdfast.tck.contract;

import dev.holdfast.api.workflow.RunId;
import dev.holdfast.engine.store.Store;
import java.time.Duration;

/**
 * A store under test. It is empty, has the default aging of 15 minutes, and is used by one test
 * with any number of threads. The class that creates the fixture closes the store.
 */
public interface StoreFixture {

  /** Returns the store, the same at every call. */
  Store store();

  /**
   * Returns the token of jobs that were never claimed: 0, unless the store was restored from a
   * backup.
   */
  default long firstToken() {
    return 0;
  }

  /**
   * Makes this much time pass for the store.
   *
   * <p>If the clock cannot be moved, move all times in the rows into the past by this duration,
   * including due times, ranks, expiries and the times of the last heartbeats.
   */
  void passTime(Duration time);

  /**
   * Make a run inconsistent by changing its rows directly, for the tests of its repair.
   *
   * @param step the step whose rows to change, for those inconsistencies that concern a step
   */
  default void breakConsistency(Inconsistency how, RunId run, int step) {
    throw new UnsupportedOperationException("This fixture cannot break runs: " + how);
  }
}
