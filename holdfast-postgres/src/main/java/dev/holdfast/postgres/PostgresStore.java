package dev.holdfast.postgres;

import com.zaxxer.hikari.HikariDataSource;
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
import dev.holdfast.postgres.claim.PgClaims;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.KeptConnection;
import dev.holdfast.postgres.db.OutsideTransaction;
import dev.holdfast.postgres.finish.PgOutcomes;
import dev.holdfast.postgres.intake.ExternalTransaction;
import dev.holdfast.postgres.intake.IntakeStatements;
import dev.holdfast.postgres.intake.PgIntake;
import dev.holdfast.postgres.intake.TransactionIntake;
import dev.holdfast.postgres.lease.PgLeaseStore;
import dev.holdfast.postgres.liveness.Membership;
import dev.holdfast.postgres.liveness.PgNodeStore;
import dev.holdfast.postgres.liveness.PgRecovery;
import dev.holdfast.postgres.notify.Channel;
import dev.holdfast.postgres.notify.PostgresCoordinator;
import dev.holdfast.postgres.notify.RepeatedNotifier;
import dev.holdfast.postgres.notify.TransactionNotice;
import dev.holdfast.postgres.notify.TransactionNotifier;
import dev.holdfast.postgres.query.PgJobControl;
import dev.holdfast.postgres.query.PgJobQueries;
import dev.holdfast.postgres.rule.PgQueueStore;
import dev.holdfast.postgres.rule.PgTaskStore;
import dev.holdfast.postgres.run.PgJournals;
import dev.holdfast.postgres.schedule.PgScheduleStore;
import dev.holdfast.postgres.schema.Migrations;
import dev.holdfast.postgres.trigger.EventStatements;
import dev.holdfast.postgres.trigger.PgEvents;
import dev.holdfast.postgres.trigger.PgTriggerStore;
import dev.holdfast.postgres.trigger.TransactionEvents;
import dev.holdfast.postgres.upkeep.PgStaging;
import dev.holdfast.postgres.upkeep.PgUpkeep;
import dev.holdfast.postgres.workflow.PgRunStore;
import java.sql.Connection;
import java.time.Duration;
import java.util.UUID;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Store} on PostgreSQL.
 *
 * <pre>{@code
 * try (PostgresStore store =
 *     PostgresStore.connect(PostgresSettings.of("jdbc:postgresql://localhost/app?user=app"))) {
 *   HoldfastClient.on(store).enqueue(WELCOME, new Welcome("ada@example.org"));
 * }
 * }</pre>
 */
public final class PostgresStore implements Store {
  private final Access access;
  private final IntakeStatements callersIntake;
  private final EventStatements callersEvents;
  private final RepeatedNotifier repeatedNotifier;
  private final TransactionNotice notice;
  private final Intake intake;
  private final EventIntake events;
  private final TriggerStore triggers;
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
  private final Object coordinating = new Object();
  private @Nullable PostgresCoordinator coordinator;

  /**
   * The connections to one database.
   *
   * @param callers how to treat connections that callers pass in
   * @param heart the connection for heartbeats
   * @param listenOn the source of the connection that listens
   * @param session the {@code application_name} of the sessions; null if they cannot be
   *     distinguished from the sessions of other programs
   * @param spare whether a broken heartbeat connection can be replaced at once
   */
  private record Access(
      Database database,
      Database callers,
      Database heart,
      DataSource listenOn,
      @Nullable String session,
      boolean spare,
      Runnable onClose) {
    /** Returns whether the connections come from an external pool. */
    boolean isGiven() {
      return session == null;
    }
  }

  private PostgresStore(Access access, Duration aging) {
    this(
        access,
        aging,
        new PgNodeStore(access.database(), access.heart(), access.session(), access.spare()),
        new PgUpkeep(access.database()),
        new PgClaims(access.database(), aging));
  }

  private PostgresStore(
      Access access, Duration aging, NodeStore nodes, Upkeep upkeep, Claims claims) {
    Database database = access.database();
    this.access = access;
    Database callers = access.callers();
    this.callersIntake = IntakeStatements.external(callers, aging);
    this.callersEvents = new EventStatements(callers, callersIntake);
    this.repeatedNotifier = new RepeatedNotifier(signal -> coordinator().announce(signal));
    this.notice = new TransactionNotifier(callers, Channel.of(database.schema()), repeatedNotifier);
    IntakeStatements intakeStatements = IntakeStatements.own(database, aging);
    OutsideTransaction outside =
        access.isGiven() ? OutsideTransaction.detect() : OutsideTransaction.UNCHECKED;
    this.intake = new PgIntake(database, intakeStatements, outside);
    this.events = new PgEvents(database, new EventStatements(database, intakeStatements), outside);
    this.triggers = new PgTriggerStore(database);
    this.claims = claims;
    this.outcomes = new PgOutcomes(database, aging);
    this.staging = new PgStaging(database);
    this.lookup = new PgJobQueries(database);
    this.control = new PgJobControl(database, aging);
    this.queues = new PgQueueStore(database);
    this.tasks = new PgTaskStore(database);
    this.nodes = nodes;
    this.recovery = new PgRecovery(database, aging);
    this.leases = new PgLeaseStore(database);
    this.upkeep = upkeep;
    this.schedules = new PgScheduleStore(database, intakeStatements);
    this.journals = new PgJournals(database, aging, lookup);
    this.runs =
        new PgRunStore(
            new PgRunStore.Own(database, intakeStatements, outside),
            new PgRunStore.Callers(callers, callersIntake, notice),
            lookup);
  }

  /**
   * Connects to a database with a new connection pool and migrates its tables. Closing the store
   * closes the pool.
   *
   * @throws dev.holdfast.api.StoreException if the database cannot be reached, is older than
   *     PostgreSQL 14 or has the tables of a newer Holdfast, or if the role lacks a privilege,
   *     which the message names. Nothing was written in that case
   */
  public static PostgresStore connect(PostgresSettings settings) {
    // Named after this process, so that other nodes can end the sessions if it dies while they hold
    // locks.
    String session = settings.name() + "-" + UUID.randomUUID();
    Connections connections = new Connections(settings, session);
    new Migrations(Database.own(connections.migrating(), settings.schema()), settings.place())
        .migrate();
    connections.tryOut();
    HikariDataSource pool = connections.pool();
    KeptConnection heart = connections.heart();
    Runnable close =
        () -> {
          heart.close();
          pool.close();
        };
    return new PostgresStore(
        new Access(
            Database.own(pool, settings.schema()),
            Database.external(pool, settings.schema(), settings.statementTimeout()),
            Database.own(heart, settings.schema()),
            connections.single(),
            session,
            true,
            close),
        settings.aging());
  }

  /**
   * Returns a store in one of many schemas that share connections. The tables must exist. Closing
   * the store leaves the connections open. It has no coordinator: give nodes and clients one that
   * they share.
   *
   * @param key determines which of the shared connections it uses
   * @param membership ties its nodes to the process that sends their heartbeats
   * @param maxHeld how many jobs all nodes of all processes may hold here; supplies null for no
   *     limit
   */
  public static PostgresStore sharing(
      SharedConnections connections,
      int key,
      String schema,
      Membership membership,
      Supplier<@Nullable Integer> maxHeld) {
    PostgresSettings settings = connections.settings();
    Database database = connections.database(key, schema);
    return new PostgresStore(
        new Access(
            database,
            Database.external(connections.pool(key), schema, settings.statementTimeout()),
            database,
            connections.pool(key),
            connections.session(),
            true,
            () -> {}),
        settings.aging(),
        PgNodeStore.ofProcesses(database, membership),
        new PgUpkeep(database, true),
        new PgClaims(database, settings.aging(), maxHeld));
  }

  /**
   * Uses an external connection pool, which stays open when the store is closed. The statement
   * timeout defaults to 30 seconds and aging to 15 minutes. For the privileges that the role needs,
   * see docs/database.md.
   *
   * <p>The store keeps one connection of the pool for heartbeats, from the registration of the
   * first node on, and one to listen on. Handlers that use all other connections therefore cannot
   * make their node look dead. The pool must provide at least three connections. The sessions of an
   * external pool cannot be distinguished from those of other programs, so if a process dies in the
   * middle of a transaction, its locks are held until the server notices. A store from {@link
   * #connect} does not have this limit.
   *
   * @throws dev.holdfast.api.StoreException as in {@link #connect}, and if the pool is too small.
   *     Nothing was written in that case
   */
  public static PostgresStore on(DataSource dataSource, String schema) {
    return on(
        dataSource,
        schema,
        PostgresSettings.DEFAULT_STATEMENT_TIMEOUT,
        PostgresSettings.DEFAULT_AGING);
  }

  /**
   * Uses an external connection pool, as {@link #on(DataSource, String)} does, with the given
   * timeout and aging. {@link PostgresSettings} describes both.
   */
  public static PostgresStore on(
      DataSource dataSource, String schema, Duration statementTimeout, Duration aging) {
    PostgresSettings.checkSchema(schema);
    PostgresSettings.checkStatementTimeout(statementTimeout);
    PostgresSettings.checkAging(aging);
    ExternalPool pool = new ExternalPool(dataSource);
    pool.requireRoom(ExternalPool.PATIENCE);
    new Migrations(
            Database.external(dataSource, schema, Connections.MIGRATION), "the given data source")
        .migrate();
    Database database = Database.external(dataSource, schema, statementTimeout);
    KeptConnection heart = pool.heart();
    return new PostgresStore(
        new Access(
            database,
            database,
            Database.external(heart, schema, KeptConnection.HEARTBEAT, ExternalPool.HEART_SILENCE),
            dataSource,
            null,
            false,
            heart::close),
        aging);
  }

  @Override
  public Intake intake() {
    return intake;
  }

  @Override
  public Intake intakeIn(Connection transaction, boolean wakes) {
    return new TransactionIntake(
        callersIntake, notice(wakes), new ExternalTransaction(access.callers(), transaction));
  }

  private TransactionNotice notice(boolean wakes) {
    return wakes ? notice : TransactionNotice.NONE;
  }

  @Override
  public EventIntake events() {
    return events;
  }

  @Override
  public EventIntake eventsIn(Connection transaction, boolean wakes) {
    return new TransactionEvents(
        callersEvents, notice(wakes), new ExternalTransaction(access.callers(), transaction));
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

  /**
   * Returns the coordinator of this store; every call returns the same object. The first call
   * starts it, which takes a connection to listen on; an external pool gives up one of its
   * connections until the store is closed.
   */
  @Override
  public PostgresCoordinator coordinator() {
    synchronized (coordinating) {
      if (coordinator == null) {
        coordinator = new PostgresCoordinator(access.listenOn(), access.database());
      }
      return coordinator;
    }
  }

  /** Returns how its connections are used; nothing if the connections are not its own. */
  public PoolUse pool() {
    return PoolUse.of(access.database().dataSource());
  }

  @Override
  public void close() {
    repeatedNotifier.close();
    synchronized (coordinating) {
      if (coordinator != null) {
        coordinator.close();
      }
    }
    access.onClose().run();
  }
}
