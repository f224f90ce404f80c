package dev.holdfast.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.NodeMode;
import dev.holdfast.api.StoreException;
import dev.holdfast.embedded.testing.SharedServer;
import dev.holdfast.embedded.testing.TestDatabase;
import dev.holdfast.engine.node.LivenessSettings;
import dev.holdfast.engine.node.NodeCore;
import dev.holdfast.engine.store.Modes;
import dev.holdfast.postgres.PostgresSettings;
import dev.holdfast.postgres.SharedConnections;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.schema.SchemaScripts;
import dev.holdfast.server.audit.Actor;
import dev.holdfast.server.audit.AuditLog;
import dev.holdfast.server.control.ControlDatabase;
import dev.holdfast.server.control.DatabaseAddress;
import dev.holdfast.server.key.KeyStore;
import dev.holdfast.server.node.Hints.Kind;
import dev.holdfast.server.node.Hints.Served;
import dev.holdfast.server.tenant.SchemaTenants;
import dev.holdfast.server.tenant.TenantMigrations;
import dev.holdfast.server.tenant.TenantState;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Work that a request creates is found, whenever nodes look and whenever the server dies. The races
 * are replayed: what others do meanwhile happens inside the change.
 */
class TenantChangesTest {
  private static final Set<Kind> ALL = Set.of(Kind.R, Kind.T);
  private static final Served SERVED = new Served(Set.of("default"), Set.of("a"));
  private static final UUID OTHER_PROCESS = UUID.randomUUID();
  private static final int TENANT = 1;
  private static final Hints.Subject SUBJECT =
      new Hints.Subject(TENANT, "holdfast_t1", Duration.ofDays(14), Duration.ofDays(90));

  private static TestDatabase database;
  private static SharedConnections connections;
  private static ControlDatabase control;
  private static TenantSignals signals;
  private static Hints hints;
  private static Holds holds;
  private static ServerProcess process;

  private final AtomicLong now = new AtomicLong(1_000_000);
  private final TenantChanges changes =
      new TenantChanges(process, holds, hints, Duration.ofMinutes(1), now::get);
  private boolean nodeStays;
  private boolean nodeActive;

  @BeforeAll
  static void open() {
    database = SharedServer.freshDatabase();
    control =
        ControlDatabase.connect(
            new DatabaseAddress(database.jdbcUrl(), database.user(), database.password()), "ctl");
    connections =
        SharedConnections.open(
            PostgresSettings.builder(database.jdbcUrl())
                .user(database.user())
                .password(database.password())
                .poolSize(4)
                .build());
    Database any = connections.database(0, "ctl");
    hints = new Hints(any, "ctl");
    holds = new Holds("ctl");
    signals = new TenantSignals(connections.coordinator("ctl"));
    SchemaScripts scripts = SchemaScripts.load(connections.migrating());
    any.transaction(
        "create the tables of a tenant",
        handle -> {
          scripts.apply(handle, "holdfast_t1");
          return handle.execute("insert into ctl.tenant (name, state) values ('a1', 'ACTIVE')");
        });
    process =
        new ServerProcess(
            new ControlNodes(any, connections.heart("ctl"), connections.session(), () -> 0, ""),
            holds,
            signals,
            any);
    process.start(
        new NodeCore.Settings(
            "me",
            null,
            Set.of(),
            Set.of(),
            Set.of("api"),
            0,
            new Modes(NodeMode.TRIGGER_ONLY, Map.of()),
            LivenessSettings.DEFAULT),
        new SimpleMeterRegistry());
  }

  @AfterAll
  static void close() {
    process.close();
    signals.close();
    connections.close();
    control.close();
    database.close();
  }

  @BeforeEach
  void empty() throws SQLException {
    execute("delete from ctl.hint; delete from ctl.hold; delete from holdfast_t1.job");
    changes.node(
        new TenantChanges.Node() {
          @Override
          public boolean staysIn(int tenant) {
            return nodeStays;
          }

          @Override
          public boolean isActive(int tenant) {
            return nodeActive;
          }
        });
  }

  private static void execute(String sql) throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static long count(String sql) {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("select count(*) from " + sql)) {
      row.next();
      return row.getLong(1);
    } catch (SQLException failure) {
      throw new AssertionError(failure);
    }
  }

  private static int storeJob() {
    try {
      execute(
          """
          insert into holdfast_t1.job (id, created_at, run_at, rank, priority, state, queue, task)
          values (gen_random_uuid(), now(), now(), now(), 0, 'READY', 'default', 'a')
          """);
      return 1;
    } catch (SQLException failure) {
      throw new AssertionError(failure);
    }
  }

  /** A node of another server takes the hints, finds nothing to do, and leaves. */
  private static void othersLookAndLeave() {
    hints.take(ALL, List.of(), List.of(), 10);
    hints.clear(TENANT, ALL); // It has registered.
    assertThat(hints.settle(SUBJECT, OTHER_PROCESS, ALL, SERVED, Duration.ofDays(1)).ready())
        .isFalse();
    assertThat(dueHints()).isZero();
  }

  private static long dueHints() {
    return count("ctl.hint where due <= now() and kind = 'R'");
  }

  private void later(Duration time) {
    now.addAndGet(time.toNanos());
    changes.tick();
  }

  @Test
  void aChangeThatIsCommittedAfterNodesHaveLookedIsFound() {
    int stored =
        changes.make(
            TENANT,
            () -> {
              assertThat(dueHints()).as("before the change, to save time").isEqualTo(1);
              othersLookAndLeave();
              later(Duration.ofHours(1));
              assertThat(dueHints()).as("while the change is under way").isZero();
              return storeJob();
            });

    assertThat(stored).isEqualTo(1);
    later(Duration.ofSeconds(6));
    assertThat(dueHints()).isPositive();
    assertThat(count("ctl.hold")).as("the hold has ended").isZero();
  }

  @Test
  void aChangeOfAServerThatDiesBeforeItsNextHintIsFound() {
    changes.make(
        TENANT,
        () -> {
          othersLookAndLeave();
          storeJob();
          assertThat(dueHints()).isZero();
          // The server dies here; another one finds it dead and releases what it holds.
          UUID dead = diesAndIsReplaced();
          List<Holds.Left> left = holds.of(process.database(), dead);
          assertThat(left).extracting(Holds.Left::tenant).containsExactly(TENANT);
          assertThat(holds.release(process.database(), dead, left.getFirst())).isTrue();
          return 0;
        });

    assertThat(dueHints()).isPositive();
  }

  /** The holds of this process are those of a dead one. */
  private static UUID diesAndIsReplaced() {
    UUID dead = UUID.randomUUID();
    try {
      execute(
          """
          insert into ctl.node
          select (jsonb_populate_record(n, '{"incarnation": "%1$s", "state": "DEAD"}')).*
          from ctl.node n where incarnation = '%2$s';
          update ctl.hold set process = '%1$s', incarnation = '%1$s' where process = '%2$s'
          """
              .formatted(dead, process.incarnation()));
    } catch (SQLException failure) {
      throw new AssertionError(failure);
    }
    return dead;
  }

  /** Such as when a server stops and cannot deregister: others find the hold when it is dead. */
  @Test
  void theHoldOfAProcessThatIsNotDeadStays() {
    changes.make(
        TENANT,
        () -> {
          List<Holds.Left> left = holds.of(process.database(), process.incarnation());
          assertThat(left).hasSize(1);
          assertThat(holds.release(process.database(), process.incarnation(), left.getFirst()))
              .isFalse();
          assertThat(count("ctl.hold where active")).isEqualTo(1);
          return 0;
        });
  }

  @Test
  void theHoldEndsOnlyWithItsHints() throws SQLException {
    changes.make(TENANT, TenantChangesTest::storeJob);
    othersTakeAllHints();
    // The hints cannot be written.
    execute("alter table ctl.hint add constraint broken check (tenant <> 1) not valid");
    try {
      later(Duration.ofSeconds(6));
      assertThat(count("ctl.hold where active")).isEqualTo(1);
    } finally {
      execute("alter table ctl.hint drop constraint broken");
    }
    later(Duration.ofSeconds(1));
    assertThat(count("ctl.hold where active")).isZero();
    assertThat(dueHints()).isPositive();
  }

  /** As if the server died after the commit: its node stays in the tenant, so it leaves no hint. */
  @Test
  void workOfATenantThatIsResumedIsFoundAlthoughTheServerDies() {
    nodeStays = true;
    SchemaScripts scripts = SchemaScripts.load(connections.migrating());
    try (SchemaTenants tenants =
        new SchemaTenants(
            control,
            new KeyStore(control, "test"),
            new AuditLog(control),
            new SchemaTenants.Settings(
                Duration.ofDays(7),
                new TenantMigrations(control, scripts),
                new TenantLinks(connections, holds, signals, process, changes)))) {
      tenants.setState("a1", TenantState.SUSPENDED, Actor.SERVER);
      storeJob();
      assertThat(dueHints()).isZero();

      tenants.setState("a1", TenantState.ACTIVE, Actor.SERVER);
    }

    assertThat(dueHints()).isPositive();
    assertThat(count("ctl.hint where kind = 'T'")).isPositive();
  }

  private static void othersTakeAllHints() {
    hints.clear(TENANT, ALL);
  }

  @Test
  void theNodeOfThisServerDoesNotLeaveDuringAChange() {
    nodeStays = true;
    changes.make(
        TENANT,
        () -> {
          assertThat(changes.whileNone(TENANT, () -> true)).isEmpty();
          return 0;
        });

    assertThat(changes.whileNone(TENANT, () -> true)).contains(true);
    assertThat(count("ctl.hint")).as("the node is there and needs none").isZero();
    assertThat(count("ctl.hold")).isZero();
  }

  @Test
  void aChangeWhoseOutcomeIsUnknownMayFollowForAMinute() {
    nodeStays = true;
    assertThatThrownBy(() ->
            changes.make(
                TENANT,
                () -> {
                  throw new StoreException(StoreException.Outcome.UNKNOWN, "No reply", null);
                }))
        .isInstanceOf(StoreException.class);

    assertThat(changes.whileNone(TENANT, () -> true)).isEmpty();
    later(Duration.ofMinutes(2));
    assertThat(changes.whileNone(TENANT, () -> true)).contains(true);
  }

  @Test
  void manyChangesShareOneHoldAndTwoHints() {
    for (int i = 0; i < 100; i++) {
      changes.make(TENANT, () -> 0);
    }

    assertThat(count("ctl.hold where active")).isEqualTo(1);
    assertThat(count("ctl.hint")).isEqualTo(2);
    now.addAndGet(Duration.ofSeconds(6).toNanos());
    changes.make(TENANT, () -> 0);
    assertThat(count("ctl.hint")).as("nodes may have gone since").isEqualTo(4);
  }

  @Test
  void aHoldThatTheNodeOfThisServerHasTakenOverStays() {
    UUID registered = UUID.randomUUID();
    changes.make(
        TENANT,
        () ->
            process
                .database()
                .transaction(
                    "register",
                    handle -> {
                      holds.join(handle, process.incarnation(), TENANT, registered);
                      return 0;
                    }));
    nodeActive = true;
    later(Duration.ofSeconds(6));
    assertThat(count("ctl.hold where active")).isEqualTo(1);
    nodeActive = false; // Registered, but this process has not noted it yet.
    later(Duration.ofSeconds(6));
    assertThat(count("ctl.hold where active")).isEqualTo(1);
  }
}
