package dev.holdfast.engine.store;

import dev.holdfast.engine.notify.ClusterCoordinator;
import java.sql.Connection;

/** A store of jobs, divided into one interface for each area of the engine. */
public interface Store extends AutoCloseable {

  /** Returns the intake of new jobs, for clients. */
  Intake intake();

  /**
   * Returns the intake of new jobs inside an external transaction, for clients.
   *
   * @param wakes whether the transaction notifies nodes when it commits; otherwise the client does
   * @throws UnsupportedOperationException if this store does not support external transactions
   */
  Intake intakeIn(Connection transaction, boolean wakes);

  /** Returns the intake of events, for clients. */
  EventIntake events();

  /**
   * Returns the intake of events inside an external transaction, for clients.
   *
   * @param wakes whether the transaction notifies nodes when it commits; otherwise the client does
   * @throws UnsupportedOperationException if this store does not support external transactions
   */
  EventIntake eventsIn(Connection transaction, boolean wakes);

  /** Returns the triggers, for clients and nodes. */
  TriggerStore triggers();

  /** Returns the claims of jobs, for the Claimer and the Starter. */
  Claims claims();

  /** Returns the outcomes of attempts, for the Completer. */
  Outcomes outcomes();

  /** Returns the staging of due and expired jobs, for the Stager. */
  Staging staging();

  /** Returns the queries about jobs, for clients. */
  JobQueries queries();

  /** Returns the operations that cancel, requeue and retry jobs, for clients. */
  JobControl control();

  /** Returns the queues and their rules, for clients and Claimers. */
  QueueStore queues();

  /** Returns the tasks and their rules, for clients, Claimers and the BreakerReporter. */
  TaskStore tasks();

  /** Returns the nodes and their heartbeats, for the Heart and the Sweeper. */
  NodeStore nodes();

  /** Returns the recovery of jobs whose holder is gone, for the Sweeper. */
  Recovery recovery();

  /** Returns the leases, for the Renewer and the LeaseAcquirer. */
  LeaseStore leases();

  /** Returns the upkeep (new partitions, deletion of expired data), for the Housekeeper. */
  Upkeep upkeep();

  /** Returns the schedules, for the Scheduler, the Registrar and clients. */
  ScheduleStore schedules();

  /** Returns the durable steps of jobs and their signals, for the Runner and clients. */
  Journals journals();

  /** Returns the workflows and runs, for the Advancer, the Reconciler and clients. */
  RunStore runs();

  /**
   * Returns the coordinator that carries signals between the processes that share this store. By
   * default it carries none.
   */
  default ClusterCoordinator coordinator() {
    return ClusterCoordinator.none();
  }

  @Override
  void close();
}
