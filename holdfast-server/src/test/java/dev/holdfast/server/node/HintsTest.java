package dev.holdfast.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.embedded.testing.SharedServer;
import dev.holdfast.embedded.testing.TestDatabase;
import dev.holdfast.postgres.PostgresSettings;
import dev.holdfast.postgres.SharedConnections;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.schema.SchemaScripts;
import dev.holdfast.server.control.ControlDatabase;
import dev.holdfast.server.control.DatabaseAddress;
import dev.holdfast.server.node.Hints.Kind;
import dev.holdfast.server.node.Hints.Pending;
import dev.holdfast.server.node.Hints.Served;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Hints against a real database, with the races replayed statement by statement. */
class HintsTest {
  private static final Set<Kind> ALL = Set.of(Kind.R, Kind.T);
  private static final Served SERVED = new Served(Set.of("default"), Set.of("a"));
  private static final UUID ME = UUID.randomUUID();
  private static final Duration DAY = Duration.ofDays(1);
  private static final int TENANT = 1;
  private static final Hints.Subject SUBJECT =
      new Hints.Subject(TENANT, "holdfast_t1", Duration.ofDays(14), Duration.ofDays(90));

  private static TestDatabase database;
  private static SharedConnections connections;
  private static ControlDatabase control;
  private static Hints hints;

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
    SchemaScripts scripts = SchemaScripts.load(connections.migrating());
    any.transaction(
        "create the tables of two tenants",
        handle -> {
          scripts.apply(handle, "holdfast_t1");
          scripts.apply(handle, "holdfast_t2");
          return handle.execute(
              "insert into ctl.tenant (name, state) values ('a1', 'ACTIVE'), ('a2', 'ACTIVE')");
        });
  }

  @AfterAll
  static void close() {
    connections.close();
    control.close();
    database.close();
  }

  @BeforeEach
  void empty() throws SQLException {
    execute(
        "delete from ctl.hint; delete from holdfast_t1.job; delete from holdfast_t1.queue;"
            + " update ctl.tenant set state = 'ACTIVE'");
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

  private static String job(String state, String task, String runAt) {
    return """
    insert into holdfast_t1.job (id, created_at, run_at, rank, priority, state, queue, task)
    values (gen_random_uuid(), now(), %s, now(), 0, '%s', 'default', '%s')
    """
        .formatted(runAt, state, task);
  }

  private static Pending settle() {
    return hints.settle(SUBJECT, ME, ALL, SERVED, DAY);
  }

  @Test
  void aTakenHintIsHiddenForAWhileAndComesBack() throws SQLException {
    hints.append(TENANT);

    assertThat(hints.take(ALL, List.of(), List.of(), 10).tenants()).containsOnlyKeys(TENANT);
    assertThat(hints.take(ALL, List.of(), List.of(), 10).tenants()).isEmpty();
    execute("update ctl.hint set due = due - interval '10 s'");
    assertThat(hints.take(ALL, List.of(), List.of(), 10).tenants())
        .as("the node that took it has died")
        .containsOnlyKeys(TENANT);
  }

  @Test
  void onlyHintsThatConcernTheNodeAreTaken() throws SQLException {
    hints.append(TENANT);
    hints.append(2);

    assertThat(hints.take(ALL, List.of(2), List.of(), 10).tenants()).containsOnlyKeys(2);
    assertThat(hints.take(ALL, List.of(), List.of(TENANT), 10).tenants()).isEmpty();
    execute("update ctl.tenant set state = 'SUSPENDED' where id = 1");
    assertThat(hints.take(ALL, List.of(), List.of(), 10).tenants()).isEmpty();
    execute("update ctl.tenant set state = 'ACTIVE'; delete from ctl.hint where kind = 'T'");
    assertThat(hints.take(Set.of(Kind.T), List.of(), List.of(), 10).tenants())
        .as("a scheduler leaves ready work to workers")
        .isEmpty();
  }

  /** Otherwise a node would wait for the next poll, although hints of other tenants are due. */
  @Test
  void severalHintsOfOneTenantDoNotHideThoseOfOthers() {
    hints.append(TENANT);
    hints.append(TENANT);
    hints.append(2);

    Hints.Taken first = hints.take(ALL, List.of(), List.of(), 4);
    assertThat(first.tenants()).containsOnlyKeys(TENANT);
    assertThat(first.more()).isTrue();
    Hints.Taken second = hints.take(ALL, List.of(), List.of(), 4);
    assertThat(second.tenants()).containsOnlyKeys(2);
    assertThat(second.more()).isFalse();
  }

  @Test
  void theNextDueTimeIsKnown() throws SQLException {
    assertThat(hints.take(ALL, List.of(), List.of(), 10).next()).isNull();
    execute("insert into ctl.hint (tenant, kind, due) values (1, 'T', now() + interval '1 h')");

    assertThat(hints.take(ALL, List.of(), List.of(), 10).next())
        .isBetween(Duration.ofMinutes(55), Duration.ofMinutes(60));
  }

  @Test
  void aTenantWithReadyWorkIsNotLeft() throws SQLException {
    execute(job("READY", "a", "now()"));
    assertThat(settle().ready()).isTrue();
    execute("insert into holdfast_t1.queue (name, paused) values ('default', true)");
    assertThat(settle().ready()).as("its queue is paused").isFalse();
  }

  @Test
  void workThatOnlyOthersCanDoKeepsAHint() throws SQLException {
    execute(job("READY", "unknown", "now()"));

    assertThat(settle()).extracting(Pending::ready, Pending::foreign).containsExactly(false, true);
    assertThat(count("ctl.hint where kind = 'R' and due <= now()")).isEqualTo(1);
  }

  @Test
  void whatFallsDueLeavesAHintForThatTimeAndADayAtTheLatest() throws SQLException {
    execute(job("SCHEDULED", "a", "now() + interval '3 h'"));
    assertThat(settle().ready()).isFalse();
    assertThat(
            count(
                "ctl.hint where kind = 'T' and due between now() + interval '2 h' and now() +"
                    + " interval '3 h'"))
        .isEqualTo(1);
    empty();
    assertThat(settle().due()).isNull();
    assertThat(
            count(
                "ctl.hint where due between now() + interval '23 h' and now() + interval '1 day'"))
        .isEqualTo(1);
  }

  @Test
  void aHintOfAnOpenTransactionIsNotRemoved() throws SQLException {
    try (Connection client = database.connect();
        Statement statement = client.createStatement()) {
      client.setAutoCommit(false);
      statement.execute("insert into ctl.hint (tenant, kind, due) values (1, 'R', now())");
      assertThat(settle().ready()).isFalse();
      client.commit();
    }

    assertThat(hints.take(ALL, List.of(), List.of(), 10).tenants()).containsOnlyKeys(TENANT);
  }

  @Test
  void aTenantInWhichNothingIsDueYetIsLookedAtAndNotEntered() throws SQLException {
    execute(job("SCHEDULED", "a", "now() + interval '3 h'"));
    execute("insert into ctl.hint (tenant, kind, due) values (1, 'T', now()), (1, 'R', now())");

    assertThat(hints.glance(SUBJECT, ALL, SERVED, DAY).ready()).isFalse();
    assertThat(count("ctl.hint where kind = 'R' and due <= now()"))
        .as("a client has left it, and may not have stored its work yet")
        .isEqualTo(1);
    assertThat(count("ctl.hint where kind = 'T' and due > now() + interval '2 h'")).isEqualTo(1);
    execute("update holdfast_t1.job set run_at = now()");
    assertThat(hints.glance(SUBJECT, ALL, SERVED, DAY).ready()).isTrue();
    assertThat(count("ctl.hint where kind = 'T' and due <= now() + interval '5 s'"))
        .as("in case this node dies before it registers")
        .isEqualTo(1);
  }

  @Test
  void oldRowsAreAReasonToEnterATenant() throws SQLException {
    execute(
        """
        insert into holdfast_t1.dead_letter
          (id, token, created_at, run_at, finished_at, attempt, priority, cancel_requested, queue,
           task)
        values (gen_random_uuid(), 1, now(), now(), now() - interval '80 days', 1, 4, false,
          'default', 'a')
        """);
    try {
      assertThat(settle().ready()).isFalse();
      execute("update holdfast_t1.dead_letter set finished_at = now() - interval '91 days'");
      assertThat(settle().ready()).isTrue();
    } finally {
      execute("delete from holdfast_t1.dead_letter");
    }
  }

  /**
   * Replays the race of a node that leaves with a client that adds work: the client commits when
   * the node is about to remove hints. A node that looked before would leave a ready job without a
   * hint.
   */
  @Test
  void workThatIsStoredWhileANodeLeavesIsSeenByItOrHasAHint() throws Exception {
    try (ExecutorService node = Executors.newSingleThreadExecutor();
        Connection client = database.connect();
        Statement statement = client.createStatement()) {
      client.setAutoCommit(false);
      statement.execute("lock table ctl.hint in access exclusive mode");
      Future<Pending> leaving = node.submit(HintsTest::settle);
      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> count("pg_locks where not granted and relation = 'ctl.hint'::regclass") > 0);
      statement.execute("insert into ctl.hint (tenant, kind, due) values (1, 'R', now())");
      statement.execute(job("READY", "a", "now()"));
      client.commit();

      boolean stays = leaving.get().ready();
      assertThat(stays || count("ctl.hint where due <= now()") > 0)
          .as("the node stays, or another one finds the tenant")
          .isTrue();
    }
  }
}
