package dev.holdfast.postgres.intake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.api.DuplicateJobException;
import dev.holdfast.api.JobRequest;
import dev.holdfast.api.StoreException;
import dev.holdfast.api.StoreException.Outcome;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.job.UniqueKey.OnConflict;
import dev.holdfast.api.job.When;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.codec.JsonCodec;
import dev.holdfast.engine.intake.ClientSettings;
import dev.holdfast.engine.notify.ClusterCoordinator;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.store.Admission;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.postgres.Drafts;
import dev.holdfast.postgres.PostgresFixture;
import dev.holdfast.postgres.PostgresSettings;
import dev.holdfast.postgres.PostgresStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** Enqueueing inside a transaction of the caller. */
class TransactionIntakeTest {
  private static PostgresFixture fixture;

  private Connection caller;

  @BeforeAll
  static void open() {
    fixture = new PostgresFixture();
    fixture.execute("create table public.orders (id int)");
  }

  @AfterAll
  static void close() {
    fixture.close();
  }

  @BeforeEach
  void openTransaction() throws SQLException {
    fixture.emptied().execute("delete from public.orders");
    caller = fixture.database().connect();
    caller.setAutoCommit(false);
  }

  @AfterEach
  void closeTransaction() throws SQLException {
    caller.close();
  }

  @Test
  void theJobExistsWhenTheTransactionCommitsTogetherWithTheCallersRows() throws SQLException {
    NewJob job = Drafts.job();
    insertOrder(1);
    enqueue(job);

    assertThat(exists(job)).isFalse();
    caller.commit();

    assertThat(exists(job)).isTrue();
    assertThat(fixture.ask("select count(*) from public.orders")).isEqualTo("1");
  }

  @Test
  void theJobDoesNotExistAfterARollback() throws SQLException {
    NewJob plain = Drafts.job();
    NewJob keyed = Drafts.job(UniqueKey.within("order 1", Duration.ofDays(1)), When.NOW);
    enqueue(plain, keyed);
    caller.rollback();

    assertThat(exists(plain)).isFalse();
    assertThat(exists(keyed)).isFalse();
    assertThat(store().intake().enqueue(List.of(keyed)))
        .containsExactly(new Admission(keyed.id(), Enqueued.Outcome.CREATED));
  }

  @Test
  void aKeyConflictLeavesTheCallersTransactionUsable() throws SQLException {
    UniqueKey key = UniqueKey.whileActive("order 1").onConflict(OnConflict.FAIL);
    store().intake().enqueue(List.of(Drafts.job(key, When.NOW)));
    NewJob fine = Drafts.job();
    insertOrder(1);

    assertThatThrownBy(() -> enqueue(fine, Drafts.job(key, When.NOW)))
        .isInstanceOf(DuplicateJobException.class);
    insertOrder(2);
    caller.commit();

    assertThat(exists(fine)).isFalse();
    assertThat(fixture.ask("select count(*) from public.orders")).isEqualTo("2");
  }

  @Test
  void anExistingIdDoesNotAbortTheTransaction() throws SQLException {
    NewJob job = Drafts.job();
    store().intake().enqueue(List.of(job));

    assertThat(enqueue(job)).containsExactly(new Admission(job.id(), Enqueued.Outcome.EXISTING));
    insertOrder(1);
    caller.commit();

    assertThat(fixture.ask("select count(*) from public.orders")).isEqualTo("1");
  }

  @Test
  void jobsOfOneTransactionKeepTheirOrderAcrossCalls() throws SQLException {
    List<JobId> ids = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      NewJob job = Drafts.job();
      ids.add(job.id());
      enqueue(job);
    }
    caller.commit();

    assertThat(fixture.ask("select string_agg(id::text, ',' order by rank) from holdfast.job"))
        .isEqualTo(String.join(",", ids.stream().map(JobId::toString).toList()));
  }

  @Test
  void theAgeOfAJobDoesNotIncludeTheTimeOfItsTransaction() throws SQLException {
    insertOrder(1);
    fixture.execute("select pg_sleep(0.05)");
    NewJob job = Drafts.job(null, new When.After(Duration.ofHours(1)));
    enqueue(job);

    try (Statement statement = caller.createStatement();
        var rows =
            statement.executeQuery(
                "select min(created_at) > now() + interval '50 ms' from holdfast.job")) {
      rows.next();
      assertThat(rows.getBoolean(1)).isTrue();
    }
    caller.commit();

    assertThat(store().queries().find(Set.of(job.id())).get(job.id()).state())
        .isEqualTo(JobState.SCHEDULED);
  }

  @Test
  void aConnectionThatIsNotInATransactionIsRejected() throws SQLException {
    caller.setAutoCommit(true);

    assertThatThrownBy(() -> enqueue(Drafts.job()))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("autocommit")
        .hasMessageContaining("setAutoCommit(false)");
  }

  @Test
  void aCustomIdIsRejectedIfTheSnapshotCouldHideThatItsJobEnded() throws SQLException {
    NewJob own = Drafts.job().repeated();
    caller.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    insertOrder(1);
    store().intake().enqueue(List.of(own));
    store().control().cancel(own.id());

    assertThatThrownBy(() -> enqueue(own))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining(own.id().toString())
        .hasMessageContaining("READ COMMITTED");
    enqueue(Drafts.job());
    caller.commit();

    assertThat(fixture.ask("select count(*) from holdfast.job")).isEqualTo("1");
  }

  @Test
  void theWaitForAKeyOfAnOpenTransactionIsBounded() throws SQLException {
    UniqueKey bob = UniqueKey.whileActive("bob");
    NewJob second = Drafts.job(bob, When.NOW);
    try (PostgresStore impatient =
            PostgresStore.connect(
                fixture.settings().statementTimeout(Duration.ofSeconds(1)).build());
        Connection other = fixture.database().connect()) {
      other.setAutoCommit(false);
      store().intakeIn(other, true).enqueue(List.of(Drafts.job(bob, When.NOW)));
      insertOrder(1);

      assertThatThrownBy(() -> impatient.intakeIn(caller, true).enqueue(List.of(second)))
          .isInstanceOfSatisfying(
              StoreException.class,
              failure -> assertThat(failure.outcome()).isEqualTo(Outcome.RETRYABLE))
          .hasMessageStartingWith("Could not enqueue 1 jobs in the caller's transaction: ")
          .hasMessageContaining("longer than the statement timeout")
          .hasMessageContaining("another transaction");
      insertOrder(2);
      caller.commit();
      other.commit();
    }

    assertThat(exists(second)).isFalse();
    assertThat(fixture.ask("select count(*) from public.orders")).isEqualTo("2");
  }

  @Test
  void theCallersConnectionKeepsItsLockTimeout() throws SQLException {
    caller.setNetworkTimeout(Runnable::run, 123_000);
    UniqueKey key = UniqueKey.whileActive("order 1").onConflict(OnConflict.FAIL);

    enqueue(Drafts.job(key, When.NOW));
    assertThatThrownBy(() -> enqueue(Drafts.job(key, When.NOW)))
        .isInstanceOf(DuplicateJobException.class);

    assertThat(caller.getNetworkTimeout()).isEqualTo(123_000);
  }

  @Test
  void theNotificationIsSentByTheTransaction() throws SQLException {
    try (Connection listening = listening()) {
      enqueue(Drafts.job());
      assertThat(received(listening, 50)).isEmpty();

      caller.commit();

      assertThat(received(listening, 5_000)).containsExactly("-:work:mail:4:1");
    }
  }

  @Test
  void withACommitCallbackTheNotificationIsSentAfterTheCommit() throws SQLException {
    List<Signal> signals = new ArrayList<>();
    List<Runnable> afterCommit = new ArrayList<>();
    ClusterCoordinator coordinator = ClusterCoordinator.none();
    coordinator.onSignal(signals::add);
    TaskType<String, Void> task = TaskType.of("mail::send", String.class);
    try (Connection listening = listening();
        HoldfastClient client =
            HoldfastClient.on(store(), new JsonCodec(), ClientSettings.DEFAULT, coordinator)) {
      var job = client.in(caller, afterCommit::add).enqueue(task, "x", o -> o.queue("mail"));
      caller.commit();

      assertThat(client.find(job.id())).isPresent();
      assertThat(receivedSoFar(listening)).isEmpty();
      assertThat(signals).isEmpty();

      afterCommit.forEach(Runnable::run);

      assertThat(signals).containsExactly(new Signal.NewWork("mail", 4, 1));
    }
  }

  @Test
  void aRolledBackTransactionDoesNotSuppressLaterNotifications() throws SQLException {
    try (Connection listening = listening();
        Connection second = fixture.database().connect()) {
      second.setAutoCommit(false);
      enqueue(Drafts.jobIn("silenced"));
      store().intakeIn(second, true).enqueue(List.of(Drafts.jobIn("silenced")));
      caller.rollback();
      second.commit();

      await()
          .atMost(Duration.ofSeconds(20))
          .until(() ->
              allReceived(listening, 100).stream().anyMatch(s -> s.endsWith(":work:silenced:4:1")));
    }
  }

  @Test
  void theNumberOfNotifyingTransactionsPerSecondIsBounded() throws SQLException {
    try (Connection listening = listening()) {
      long startedAt = System.nanoTime();
      for (int i = 0; i < 100; i++) {
        enqueue(Drafts.job());
        caller.commit();
      }
      long slots = (System.nanoTime() - startedAt) / 20_000_000 + 1;

      assertThat(receivedSoFar(listening)).hasSizeBetween(1, (int) slots);
    }
  }

  @Test
  void queuesAndStagersAreNotified() throws SQLException {
    try (Connection listening = listening()) {
      enqueue(Drafts.jobIn("first"));
      enqueue(Drafts.jobIn("second"), Drafts.jobIn("third"));
      enqueue(Drafts.job(null, new When.After(Duration.ofSeconds(7))));
      caller.commit();

      assertThat(receivedSoFar(listening))
          .containsExactlyInAnyOrder(
              "-:work:first:4:1", "-:work:second:4:1", "-:work:third:4:1", "-:due:7000000");
    }
  }

  private static List<String> receivedSoFar(Connection listening) throws SQLException {
    // Notifications arrive in order, so everything sent before this one has arrived with it.
    fixture.execute("notify holdfast_holdfast, 'last'");
    List<String> all = new ArrayList<>();
    while (!all.contains("last")) {
      all.addAll(received(listening, 5_000));
    }
    all.remove("last");
    return all;
  }

  private Connection listening() throws SQLException {
    Connection connection = fixture.database().connect();
    try (Statement statement = connection.createStatement()) {
      statement.execute("listen holdfast_holdfast");
    }
    return connection;
  }

  /** Returns what transactions have sent, without what the process sends afterwards. */
  private static List<String> received(Connection connection, int millis) throws SQLException {
    return allReceived(connection, millis).stream()
        .filter(text -> text.startsWith("-:") || text.equals("last"))
        .toList();
  }

  private static List<String> allReceived(Connection connection, int millis) throws SQLException {
    PGNotification[] got = connection.unwrap(PGConnection.class).getNotifications(millis);
    return got == null ? List.of() : Arrays.stream(got).map(PGNotification::getParameter).toList();
  }

  private List<Admission> enqueue(NewJob... jobs) {
    return store().intakeIn(caller, true).enqueue(List.of(jobs));
  }

  private void insertOrder(int id) throws SQLException {
    try (Statement statement = caller.createStatement()) {
      statement.execute("insert into public.orders values (" + id + ")");
    }
  }

  private static boolean exists(NewJob job) {
    return store().queries().find(Set.of(job.id())).containsKey(job.id());
  }

  private static PostgresStore store() {
    return fixture.store();
  }

  /**
   * If all connections of a pool are in such transactions, waiting for another one would be a
   * deadlock.
   */
  @Test
  void noSecondConnectionIsTakenFromTheCallersPool() throws Exception {
    int size = 4;
    try (HikariDataSource pool = fixture.foreignPool(size);
        PostgresStore store = PostgresStore.on(pool, PostgresSettings.DEFAULT_SCHEMA);
        HoldfastClient client =
            HoldfastClient.on(
                store, new JsonCodec(), ClientSettings.DEFAULT, ClusterCoordinator.none())) {
      List<Connection> all = new ArrayList<>();
      while (all.size() < size) {
        Connection connection = pool.getConnection();
        connection.setAutoCommit(false);
        all.add(connection);
      }

      for (Connection connection : all) {
        client
            .in(connection)
            .enqueue(JobRequest.of(TaskType.of("mail::send", String.class), "text"));
      }
      for (Connection connection : all) {
        connection.commit();
        connection.close();
      }
    }
    assertThat(fixture.ask("select count(*) from holdfast.job")).isEqualTo("4");
  }

  @Test
  void theInterceptorsOfTheClientRunInTheTransactionToo() throws SQLException {
    TaskType<String, Void> task = TaskType.of("test::tagged", String.class);
    ClientSettings settings =
        ClientSettings.DEFAULT.with(s ->
            s.interceptEnqueues(enqueue ->
                enqueue.proceed(
                    enqueue.requests().stream()
                        .map(request -> request.with(job -> job.tags("tenant:1")))
                        .toList())));
    try (HoldfastClient client = HoldfastClient.on(fixture.store(), new JsonCodec(), settings)) {
      JobId one = client.in(caller).enqueue(task, "x").id();
      caller.commit();

      assertThat(client.find(one).orElseThrow().tags()).containsExactly("tenant:1");
    }
  }
}
