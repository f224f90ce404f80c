package dev.holdfast.worker;

import dev.holdfast.api.run.SecretSource;
import dev.holdfast.engine.notify.ClusterCoordinator;
import dev.holdfast.engine.store.Claims;
import dev.holdfast.engine.store.EventIntake;
import dev.holdfast.engine.store.Intake;
import dev.holdfast.engine.store.JobControl;
import dev.holdfast.engine.store.JobQueries;
import dev.holdfast.engine.store.Journals;
import dev.holdfast.engine.store.LeaseStore;
import dev.holdfast.engine.store.NodeStore;
import dev.holdfast.engine.store.Outcomes;
import dev.holdfast.engine.store.QueueStore;
import dev.holdfast.engine.store.Recovery;
import dev.holdfast.engine.store.RunStore;
import dev.holdfast.engine.store.ScheduleStore;
import dev.holdfast.engine.store.Staging;
import dev.holdfast.engine.store.Store;
import dev.holdfast.engine.store.TaskStore;
import dev.holdfast.engine.store.TriggerStore;
import dev.holdfast.engine.store.Upkeep;
import java.sql.Connection;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A store behind the API of a server, as far as a worker needs one. */
final class HttpStore implements Store {
  private final WorkerApi api;
  private final AtomicReference<@Nullable UUID> current = new AtomicReference<>();
  private final HttpSignals signals;
  private final NodeStore nodes;
  private final Claims claims;
  private final Outcomes outcomes;
  private final Journals journals;
  private final Intake intake;

  /**
   * @param stack the stack of the code of the worker; null for none
   */
  HttpStore(WorkerApi api, Set<String> queues, @Nullable String stack) {
    this.api = api;
    this.signals = new HttpSignals(api, current::get, queues);
    this.nodes = new HttpNodes(api, current);
    this.claims = new HttpClaims(api);
    this.outcomes = new HttpOutcomes(api);
    this.journals = new HttpJournals(api, current::get);
    this.intake = new HttpIntake(api, current::get, stack);
  }

  /** Returns the secrets that the server gives to this worker. */
  SecretSource secrets() {
    return name -> {
      UUID worker = current.get();
      return worker == null ? Optional.empty() : api.secret(worker, name);
    };
  }

  @Override
  public NodeStore nodes() {
    return nodes;
  }

  @Override
  public Claims claims() {
    return claims;
  }

  @Override
  public Outcomes outcomes() {
    return outcomes;
  }

  @Override
  public ClusterCoordinator coordinator() {
    return signals;
  }

  @Override
  public Intake intake() {
    return intake;
  }

  @Override
  public Intake intakeIn(Connection transaction, boolean wakes) {
    return Absent.of(Intake.class);
  }

  @Override
  public EventIntake events() {
    return Absent.of(EventIntake.class);
  }

  @Override
  public EventIntake eventsIn(Connection transaction, boolean wakes) {
    return Absent.of(EventIntake.class);
  }

  @Override
  public TriggerStore triggers() {
    return Absent.of(TriggerStore.class);
  }

  @Override
  public Staging staging() {
    return Absent.of(Staging.class);
  }

  @Override
  public JobQueries queries() {
    return Absent.of(JobQueries.class);
  }

  @Override
  public JobControl control() {
    return Absent.of(JobControl.class);
  }

  @Override
  public QueueStore queues() {
    return Absent.of(QueueStore.class);
  }

  @Override
  public TaskStore tasks() {
    return Absent.of(TaskStore.class);
  }

  @Override
  public Recovery recovery() {
    return Absent.of(Recovery.class);
  }

  @Override
  public LeaseStore leases() {
    return Absent.of(LeaseStore.class);
  }

  @Override
  public Upkeep upkeep() {
    return Absent.of(Upkeep.class);
  }

  @Override
  public ScheduleStore schedules() {
    return Absent.of(ScheduleStore.class);
  }

  @Override
  public Journals journals() {
    return journals;
  }

  @Override
  public RunStore runs() {
    return Absent.of(RunStore.class);
  }

  @Override
  public void close() {
    signals.close();
    api.close();
  }
}
