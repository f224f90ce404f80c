package dev.holdfast.postgres.notify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.embedded.testing.SharedServer;
import dev.holdfast.embedded.testing.TestDatabase;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.postgres.Lines;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.SocketValidatedDataSource;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A coordinator whose database, pool or listeners fail. */
class CoordinatorFaultsTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final Duration DAY = Duration.ofDays(1);

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
  void anErrorEndsNeitherListeningNorSending() {
    AtomicBoolean broken = new AtomicBoolean(true);
    DataSource breaking = breaking(broken);
    try (Lines lines = Lines.of("dev.holdfast.postgres.notify")) {
      PostgresCoordinator one =
          keep(new PostgresCoordinator(breaking, Database.own(breaking, "cluster")));
      PostgresCoordinator other = working();
      other.onSignal(received::add);
      one.notifyNewWork("mail", 1);
      await()
          .atMost(SOON)
          .until(() ->
              lines.texts(Level.ERROR).stream().anyMatch(line -> line.startsWith("Listening"))
                  && lines.texts(Level.ERROR).stream()
                      .anyMatch(line -> line.startsWith("Could not notify other nodes")));
      assertThat(received).doesNotContain(new Signal.NewWork("mail", 1));

      broken.set(false);

      await().atMost(SOON).until(one::isWorking);
      one.notifyNewWork("mail", 2);
      await().atMost(SOON).until(() -> received.contains(new Signal.NewWork("mail", 2)));
    }
  }

  @Test
  void aListenerThatThrowsAnErrorAffectsNeitherOthersNorTheNextSignal() {
    PostgresCoordinator one = working();
    PostgresCoordinator two = working();
    two.onSignal(signal -> {
      throw new AssertionError("of the listener");
    });
    two.onSignal(received::add);

    one.notifyNewWork("mail", 1);
    await().atMost(SOON).until(() -> received.contains(new Signal.NewWork("mail", 1)));
    one.notifyNewWork("print", 2);

    await().atMost(SOON).until(() -> received.contains(new Signal.NewWork("print", 2)));
    assertThat(two.isWorking()).isTrue();
  }

  @Test
  void anExhaustedPoolIsNotReportedAsAFailedSelfCheck() throws SQLException {
    HikariDataSource pool = pool(1, 250);
    PostgresCoordinator coordinator =
        keep(
            new PostgresCoordinator(
                source(database),
                Database.own(pool, "cluster"),
                new SelfCheck.Patience(Duration.ofMillis(100), Duration.ofMillis(200), DAY)));
    await().atMost(SOON).until(coordinator::isWorking);
    try (Lines lines = Lines.of("dev.holdfast.postgres.notify");
        Connection only = pool.getConnection()) {
      coordinator.onSignal(received::add);
      await()
          .atMost(SOON)
          .until(() ->
              lines.texts(Level.WARN).stream().anyMatch(line -> line.contains("Could not notify")));

      await()
          .during(Duration.ofSeconds(2))
          .atMost(SOON)
          .until(() -> coordinator.isWorking() && !received.contains(new Signal.SignalsMissed()));
      assertThat(only.isValid(1)).isTrue();
      assertThat(lines.texts(Level.WARN)).noneMatch(line -> line.contains("does not receive"));
    }
  }

  @Test
  void aFloodOfNotificationsIsDeliveredInFewSignalsWithoutLoss() throws SQLException {
    PostgresCoordinator coordinator = working();
    coordinator.onSignal(received::add);
    long start = System.nanoTime();

    flood("'x:work:mail:' || (i % 10)", "'x:queue:mail'", "'x:schedules'");
    flood("'x:queue:q' || i");
    execute("select pg_notify('holdfast_cluster', 'x:queue:last')");

    await()
        .atMost(SOON)
        .until(() ->
            received.contains(new Signal.QueueChanged("last"))
                || received.stream().anyMatch(Signal.SignalsMissed.class::isInstance));
    long millis = Duration.ofNanos(System.nanoTime() - start).toMillis();
    // One signal of a kind for each queue and interval, and the first signals of the flood.
    assertThat(count(Signal.NewWork.class)).isBetween(1L, millis / 20 + 2 + Inbox.EARLY);
    assertThat(count(Signal.SchedulesChanged.class)).isBetween(1L, millis / 200 + 2);
    assertThat(count(Signal.SignalsMissed.class)).isLessThanOrEqualTo(millis / 200 + 2);
    assertThat(coordinator.isWorking()).isTrue();
  }

  private void flood(String... payloads) throws SQLException {
    // Many transactions, because equal payloads of one transaction are merged.
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      for (int piece = 0; piece < 300; piece++) {
        for (String payload : payloads) {
          statement.execute(
              "select pg_notify('holdfast_cluster', %s) from generate_series(%d, %d) i"
                  .formatted(payload, piece * 100, piece * 100 + 99));
        }
      }
    }
  }

  private long count(Class<? extends Signal> kind) {
    return received.stream().filter(kind::isInstance).count();
  }

  @Test
  void anOldConnectionIsReplacedWithoutLosingSignals() throws SQLException {
    PostgresCoordinator sender = working();
    PostgresCoordinator renewing =
        keep(
            new PostgresCoordinator(
                source(database),
                Database.own(source(database), "cluster"),
                new SelfCheck.Patience(
                    Duration.ofMinutes(1), Duration.ofSeconds(5), Duration.ofMillis(300))));
    await().atMost(SOON).until(renewing::isWorking);
    renewing.onSignal(received::add);
    List<String> before = listeningSessions();
    try (Lines lines = Lines.of("dev.holdfast.postgres.notify")) {
      int sent = 0;
      // The connection of the sender was opened first and stays; the other one is replaced.
      while ((listeningSessions().contains(before.get(1)) || sent < 100) && sent < 3_000) {
        sender.announce(new Signal.QueueChanged("queue-" + ++sent));
        assertThat(renewing.isWorking()).isTrue();
      }
      int last = sent;
      await().atMost(SOON).until(() -> received.contains(new Signal.QueueChanged("queue-" + last)));
      assertThat(listeningSessions()).contains(before.get(0)).doesNotContain(before.get(1));
      for (int i = 1; i <= last; i++) {
        assertThat(received).contains(new Signal.QueueChanged("queue-" + i));
      }
      assertThat(lines.all()).isEmpty();
    }
  }

  private List<String> listeningSessions() throws SQLException {
    List<String> sessions = new ArrayList<>();
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "select pid from pg_stat_activity where query like 'listen%' and datname = '"
                    + database.name()
                    + "' order by backend_start")) {
      while (rows.next()) {
        sessions.add(rows.getString(1));
      }
    }
    return sessions;
  }

  @Test
  void listeningAndClosingOnAnExternalPoolCausesNoWarningOfThatPool() throws SQLException {
    HikariDataSource pool = pool(3, 5_000);
    TestDatabase elsewhere = SharedServer.freshDatabase();
    open.add(elsewhere);
    SelfCheck.Patience brief = new SelfCheck.Patience(DAY, Duration.ofMillis(100), DAY);
    try (Lines lines = Lines.of("com.zaxxer.hikari")) {
      try (PostgresCoordinator deaf =
              new PostgresCoordinator(pool, Database.own(source(elsewhere), "cluster"), brief);
          PostgresCoordinator hearing =
              new PostgresCoordinator(pool, Database.external(pool, "cluster", SOON))) {
        await().atMost(SOON).until(hearing::isWorking);
        await().atMost(SOON).until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 2);
        await().atMost(SOON).until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 1);
        assertThat(deaf.isWorking()).isFalse();
      }

      assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
      try (Connection connection = pool.getConnection();
          Statement statement = connection.createStatement();
          ResultSet rows = statement.executeQuery("select * from pg_listening_channels()")) {
        assertThat(rows.next()).isFalse();
      }
      assertThat(lines.texts(Level.WARN)).isEmpty();
    }
  }

  private PostgresCoordinator working() {
    PostgresCoordinator coordinator =
        keep(new PostgresCoordinator(source(database), Database.own(source(database), "cluster")));
    await().atMost(SOON).until(coordinator::isWorking);
    return coordinator;
  }

  private PostgresCoordinator keep(PostgresCoordinator coordinator) {
    open.add(coordinator);
    return coordinator;
  }

  private HikariDataSource pool(int size, int timeoutMillis) {
    HikariConfig config = new HikariConfig();
    config.setDataSource(source(database));
    config.setMaximumPoolSize(size);
    config.setConnectionTimeout(timeoutMillis);
    HikariDataSource pool = new HikariDataSource(config);
    open.add(pool);
    return pool;
  }

  private static DataSource source(TestDatabase of) {
    Properties properties = new Properties();
    properties.setProperty("user", of.user());
    properties.setProperty("password", of.password());
    return new SocketValidatedDataSource(of.jdbcUrl(), properties);
  }

  /** A data source that throws an Error as long as it is broken. */
  private DataSource breaking(AtomicBoolean broken) {
    DataSource real = source(database);
    return (DataSource)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("getConnection") && broken.get()) {
                throw new NoClassDefFoundError("broken");
              }
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
              }
            });
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
