package dev.holdfast.engine.store;

import java.sql.Connection;

/**
 * The part of a store that keeps workflows and runs, divided into one interface for each role that
 * uses it.
 */
public interface RunStore {

  /** Returns the graphs of workflows, for clients and nodes. */
  Definitions definitions();

  /** Returns the intake of new runs, for clients. */
  RunIntake intake();

  /**
   * Returns the intake of new runs inside an external transaction, for clients.
   *
   * @param wakes whether the transaction notifies nodes when it commits; otherwise the client does
   * @throws UnsupportedOperationException if this store does not support external transactions
   */
  RunIntake intakeIn(Connection transaction, boolean wakes);

  /** Returns what moves runs forward, for the Advancer. */
  RunAdvance advance();

  /** Returns the operations that pause, cancel, retry and signal runs, for clients. */
  RunControl control();

  /** Returns the queries about runs, for clients. */
  RunQueries queries();

  /** Returns the repair of inconsistent runs, for the Reconciler. */
  RunRepair repair();
}
