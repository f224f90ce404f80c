package dev.holdfast.postgres.notify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.embedded.testing.SharedServer;
import dev.holdfast.embedded.testing.TestDatabase;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.SocketValidatedDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Signals between processes. */
class PostgresCoordinatorTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final Duration FOREVER = Duration.ofDays(1);

  private final List<AutoCloseable> open = new ArrayList<>();
  private final Queue<Signal> received = new ConcurrentLinkedQueue<>();
  private TestDatabase database;

  @BeforeEach
  void setUp() {
    database = SharedServer.freshDatabase();
    open.add(database);
  }

  @AfterEach
  void tearDown() throws Exception {
    for (AutoCloseable resource : open.reversed()) {
      resource.close();
    }
  }

  @Test
  void aSignalReachesOtherProcesses() {
    PostgresCoordinator one = working("cluster");
    PostgresCoordinator two = working("cluster");
    two.onSignal(received::add);

    one.notifyNewWork("mail", 7);

    await()
        .atMost(SOON)
        .untilAsserted(() -> assertThat(received).contains(new Signal.NewWork("mail", 7)));
  }

  @Test
  void asynchronousCommitOfSignalsDoesNotAffectOtherStatements() throws SQLException {
    try (Connection connection = database.connect();
        PreparedStatement notify = connection.prepareStatement(Channel.NOTIFY_AT_ONCE)) {
      notify.setString(1, "somewhere");
      notify.setArray(2, connection.createArrayOf("text", new Object[] {"something"}));
      notify.execute();

      try (Statement statement = connection.createStatement();
          ResultSet row = statement.executeQuery("show synchronous_commit")) {
        assertThat(row.next()).isTrue();
        assertThat(row.getString(1)).isEqualTo("on");
      }
    }
  }

  @Test
  void signalsStayWithinTheirSchema() {
    PostgresCoordinator one = working("cluster");
    PostgresCoordinator same = working("cluster");
    PostgresCoordinator other = working("other");
    Queue<Signal> elsewhere = new ConcurrentLinkedQueue<>();
    same.onSignal(received::add);
    other.onSignal(elsewhere::add);

    one.notifyNewWork("mail", 7);
    await().atMost(SOON).until(() -> !received.isEmpty());

    assertThat(elsewhere).isEmpty();
  }

  @Test
  void listenersOfTheSameProcessReceiveASignalOnceAndAtOnce() {
    PostgresCoordinator one = working("cluster");
    PostgresCoordinator two = working("cluster");
    Queue<Signal> echo = new ConcurrentLinkedQueue<>();
    one.onSignal(echo::add);
    two.onSignal(received::add);

    one.notifyNewWork("mail", 7);
    assertThat(echo).hasSize(1);

    // Signals arrive in order, so when the second has arrived, any echo of the first has arrived
    // too.
    await().atMost(SOON).until(() -> !received.isEmpty());
    two.notifyNewWork("print", 1);
    await().atMost(SOON).until(() -> echo.contains(new Signal.NewWork("print", 1)));
    assertThat(echo).hasSize(2);
  }

  @Test
  void manySignalsAreMergedIntoFewMessages() {
    PostgresCoordinator one = working("cluster");
    PostgresCoordinator two = working("cluster");
    two.onSignal(received::add);

    for (int i = 0; i < 10_000; i++) {
      one.notifyNewWork("mail", i % 10);
    }
    one.announce(new Signal.QueueChanged("last"));

    await().atMost(SOON).until(() -> received.contains(new Signal.QueueChanged("last")));
    assertThat(received.size()).isLessThan(1_000);
    assertThat(received).contains(new Signal.NewWork("mail", 9));
  }

  @Test
  void signalsAnnouncedJustBeforeClosingAreSent() {
    PostgresCoordinator one = working("cluster");
    PostgresCoordinator two = working("cluster");
    two.onSignal(received::add);

    one.notifyNewWork("mail", 7);
    one.close();

    await().atMost(SOON).until(() -> !received.isEmpty());
  }

  @Test
  void aBrokenConnectionIsReopenedAndListenersAreTold() throws SQLException {
    PostgresCoordinator one = working("cluster");
    PostgresCoordinator two = working("cluster");
    one.onSignal(received::add);

    execute(
        "select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen%' and"
            + " datname = '"
            + database.name()
            + "'");

    await().atMost(SOON).until(() -> received.contains(new Signal.SignalsMissed()));
    await().atMost(SOON).until(() -> one.isWorking() && two.isWorking());
    two.notifyNewWork("mail", 7);
    await().atMost(SOON).until(() -> received.contains(new Signal.NewWork("mail", 7)));
  }

  @Test
  void aNewListenerIsToldToCheckForEarlierSignals() {
    PostgresCoordinator coordinator =
        new PostgresCoordinator(source(database), Database.own(source(database), "cluster"));
    open.add(coordinator);
    coordinator.onSignal(received::add);

    await().atMost(SOON).until(() -> received.contains(new Signal.SignalsMissed()));
  }

  @Test
  void aPooledConnectionIsReturnedWithoutListening() throws SQLException {
    HikariConfig config = new HikariConfig();
    config.setDataSource(source(database));
    config.setMaximumPoolSize(1);
    HikariDataSource pool = new HikariDataSource(config);
    open.add(pool);
    TestDatabase elsewhere = SharedServer.freshDatabase();
    open.add(elsewhere);
    SelfCheck.Patience brief =
        new SelfCheck.Patience(Duration.ofSeconds(60), Duration.ofMillis(100), FOREVER);
    try (PostgresCoordinator deaf =
        new PostgresCoordinator(pool, Database.own(source(elsewhere), "cluster"), brief)) {
      await().atMost(SOON).until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 1);
      await().atMost(SOON).until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
    }

    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("select * from pg_listening_channels()")) {
      assertThat(rows.next()).isFalse();
    }
  }

  @Test
  void aCoordinatorThatDoesNotReceiveItsOwnSignalsReportsThat() {
    TestDatabase elsewhere = SharedServer.freshDatabase();
    open.add(elsewhere);
    SelfCheck.Patience brief =
        new SelfCheck.Patience(Duration.ofSeconds(60), Duration.ofMillis(200), FOREVER);

    PostgresCoordinator deaf =
        new PostgresCoordinator(
            source(elsewhere), Database.own(source(database), "cluster"), brief);
    open.add(deaf);

    await().during(Duration.ofMillis(600)).atMost(SOON).until(() -> !deaf.isWorking());
    deaf.notifyNewWork("mail", 7);
  }

  @Test
  void anIdleListenerSendsNoStatements() throws SQLException {
    working("cluster");
    String before = lastStatement();

    await().during(Duration.ofMillis(500)).atMost(SOON).until(() -> lastStatement().equals(before));
    assertThat(before).startsWith("listen holdfast_cluster");
  }

  @Test
  void anUnknownMessageIsIgnored() throws SQLException {
    PostgresCoordinator one = working("cluster");
    one.onSignal(received::add);

    execute("notify holdfast_cluster, 'x:colour:blue'", "notify holdfast_cluster, 'nonsense'");
    execute("notify holdfast_cluster, 'x:queue:mail'");

    await().atMost(SOON).until(() -> !received.isEmpty());
    assertThat(received).containsExactly(new Signal.QueueChanged("mail"));
  }

  private PostgresCoordinator working(String schema) {
    PostgresCoordinator coordinator =
        new PostgresCoordinator(source(database), Database.own(source(database), schema));
    open.add(coordinator);
    await().atMost(SOON).until(coordinator::isWorking);
    return coordinator;
  }

  private static DataSource source(TestDatabase of) {
    Properties properties = new Properties();
    properties.setProperty("user", of.user());
    properties.setProperty("password", of.password());
    return new SocketValidatedDataSource(of.jdbcUrl(), properties);
  }

  private String lastStatement() throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "select query || query_start from pg_stat_activity where query like 'listen%' and"
                    + " datname = '"
                    + database.name()
                    + "'")) {
      rows.next();
      return rows.getString(1);
    }
  }

  private void execute(String... statements) throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }
}
