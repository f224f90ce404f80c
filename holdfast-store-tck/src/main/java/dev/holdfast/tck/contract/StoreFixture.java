package dev.holdfast.tck.contract;

import dev.holdfast.api.workflow.RunId;
import dev.holdfast.engine.store.Store;
import java.time.Duration;

/**
 * A store under test: empty at first, with the default aging of 15 minutes, used by one test with
 * any number of threads. The class that creates the fixture closes the store.
 */
public interface StoreFixture {

  /** The store, the same at every call. */
  Store store();

  /**
   * Let so much time pass for the store.
   *
   * <p>Where the clock cannot be moved, move the rows: every time they hold lies so much further in
   * the past afterwards, including due times, ranks, expiries and when nodes were last heard of.
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
