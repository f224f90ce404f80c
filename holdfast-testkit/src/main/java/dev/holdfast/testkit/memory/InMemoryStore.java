package dev.holdfast.testkit.memory;

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
import java.time.Duration;
import java.time.InstantSource;

/**
 * A store in memory. It behaves like every store, except that nothing survives the process.
 *
 * <pre>{@code
 * ManualClock clock = new ManualClock(Instant.parse("2026-01-01T00:00:00Z"));
 * try (Holdfast holdfast = HoldfastClient.on(new InMemoryStore(clock))) {
 *   holdfast.enqueue(WELCOME, new Welcome("ada@example.com"));
 * }
 * }</pre>
 *
 * <p>It is safe for use by multiple threads, but all calls are serialised: it is built for
 * simplicity, not for concurrency.
 */
public final class InMemoryStore implements Store {

  /** The default aging: the wait after which a job gains one level of priority, 15 minutes. */
  public static final Duration DEFAULT_AGING = Duration.ofMinutes(15);

  final Tables tables;
  private final Intake intake;
  private final MemoryTriggerStore triggers;
  private final EventIntake events;
  private final Claims claims;
  private final Outcomes outcomes;
  private final Staging staging;
  private final JobQueries lookup;
  private final JobControl control;
  private final QueueStore queues;
  private final TaskStore tasks;
  private final NodeStore nodes;
  private final Recovery recovery;
  private final LeaseStore leases;
  private final Upkeep upkeep;
  private final ScheduleStore schedules;
  private final Journals journals;
  private final RunStore runs;
  private final ClusterCoordinator coordinator = ClusterCoordinator.withinProcess();

  /**
   * Creates a store with the {@linkplain #DEFAULT_AGING default aging}.
   *
   * @param clock stands for the clock of the database
   */
  public InMemoryStore(InstantSource clock) {
    this(clock, DEFAULT_AGING);
  }

  /**
   * Creates a store.
   *
   * @param clock stands for the clock of the database
   * @param aging the wait after which a job gains one level of priority
   */
  public InMemoryStore(InstantSource clock, Duration aging) {
    this(new Tables(clock, aging, null));
  }

  /**
   * Creates a store that does not advance runs exclusively, for simulations of concurrent nodes.
   *
   * @param clock stands for the clock of the database
   * @param betweenStatements called between the statements of a transaction that has several, and
   *     while a transaction waits for a run that another one has locked. Other calls can be
   *     executed meanwhile. If it throws, the transaction is rolled back
   */
  public InMemoryStore(InstantSource clock, Runnable betweenStatements) {
    this(new Tables(clock, DEFAULT_AGING, betweenStatements));
  }

  private InMemoryStore(Tables tables) {
    this.tables = tables;
    MemoryIntake memoryIntake = new MemoryIntake(tables);
    this.intake = memoryIntake;
    this.triggers = new MemoryTriggerStore(tables);
    this.events = new MemoryEvents(tables, intake, triggers);
    this.claims = new MemoryClaims(tables);
    this.outcomes = new MemoryOutcomes(tables);
    this.staging = new MemoryStaging(tables);
    this.lookup = new MemoryJobQueries(tables);
    this.control = new MemoryJobControl(tables);
    this.queues = new MemoryQueueStore(tables, lookup);
    this.tasks = new MemoryTaskStore(tables);
    this.nodes = new MemoryNodeStore(tables);
    this.recovery = new MemoryRecovery(tables);
    this.leases = new MemoryLeaseStore(tables);
    MemoryScheduleStore memorySchedules = new MemoryScheduleStore(tables, memoryIntake);
    this.schedules = memorySchedules;
    this.upkeep = new MemoryUpkeep(tables, memorySchedules);
    this.journals = new MemoryJournals(tables);
    this.runs = new MemoryRuns(tables);
  }

  @Override
  public Intake intake() {
    return intake;
  }

  @Override
  public Intake intakeIn(Connection transaction, boolean wakes) {
    throw noTransactions("enqueue");
  }

  @Override
  public EventIntake events() {
    return events;
  }

  @Override
  public EventIntake eventsIn(Connection transaction, boolean wakes) {
    throw noTransactions("publish");
  }

  static UnsupportedOperationException noTransactions(String what) {
    return new UnsupportedOperationException(
        "The in-memory store cannot take part in a database transaction: %s without one, or test with the PostgreSQL store."
            .formatted(what));
  }

  @Override
  public TriggerStore triggers() {
    return triggers;
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
  public Staging staging() {
    return staging;
  }

  @Override
  public JobQueries queries() {
    return lookup;
  }

  @Override
  public JobControl control() {
    return control;
  }

  @Override
  public QueueStore queues() {
    return queues;
  }

  @Override
  public TaskStore tasks() {
    return tasks;
  }

  @Override
  public NodeStore nodes() {
    return nodes;
  }

  @Override
  public Recovery recovery() {
    return recovery;
  }

  @Override
  public LeaseStore leases() {
    return leases;
  }

  @Override
  public Upkeep upkeep() {
    return upkeep;
  }

  @Override
  public ScheduleStore schedules() {
    return schedules;
  }

  @Override
  public Journals journals() {
    return journals;
  }

  @Override
  public RunStore runs() {
    return runs;
  }

  @Override
  public ClusterCoordinator coordinator() {
    return coordinator;
  }

  @Override
  public void close() {
    coordinator.close();
  }
}
