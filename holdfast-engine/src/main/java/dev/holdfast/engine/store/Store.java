package dev.holdfast.engine.store;

import dev.holdfast.engine.notify.ClusterCoordinator;
import java.sql.Connection;

/** A place where jobs are kept, seen by the roles that use it. */
public interface Store extends AutoCloseable {

  /** For clients: new jobs. */
  Intake intake();

  /**
   * For clients: new jobs inside a transaction of the caller's own.
   *
   * @param wakes whether the transaction is to wake others when it commits; otherwise the client
   *     does
   * @throws UnsupportedOperationException if this store has no such transactions
   */
  Intake intakeIn(Connection transaction, boolean wakes);

  /** For clients: events, and the jobs they start. */
  EventIntake events();

  /**
   * For clients: events inside a transaction of the caller's own.
   *
   * @param wakes whether the transaction is to wake others when it commits; otherwise the client
   *     does
   * @throws UnsupportedOperationException if this store has no such transactions
   */
  EventIntake eventsIn(Connection transaction, boolean wakes);

  /** For clients and nodes: which events start which tasks. */
  TriggerStore triggers();

  /** For the Claimer and the Starter: taking hold of jobs. */
  Claims claims();

  /** For the Completer: how attempts ended. */
  Outcomes outcomes();

  /** For the Stager: jobs whose time has come, or has passed. */
  Staging staging();

  /** For clients: looking at jobs. */
  JobQueries queries();

  /** For clients: changing one's mind about jobs. */
  JobControl control();

  /** For clients and Claimers: settings of queues. */
  QueueStore queues();

  /** For clients, Claimers and the Tripper: rules of tasks. */
  TaskStore tasks();

  /** For the Heart and the Sweeper: which nodes there are. */
  NodeStore nodes();

  /** For the Sweeper: taking jobs back whose holder is gone. */
  Recovery recovery();

  /** For the Renewer and those who take leases: who holds which. */
  LeaseStore leases();

  /** For the Housekeeper: making room and throwing away what is past its time. */
  Upkeep upkeep();

  /** For the Scheduler, the Registrar and clients: work that recurs. */
  ScheduleStore schedules();

  /** Carries signals between the processes that share this store; by default, none are carried. */
  default ClusterCoordinator coordinator() {
    return ClusterCoordinator.none();
  }

  @Override
  void close();
}
