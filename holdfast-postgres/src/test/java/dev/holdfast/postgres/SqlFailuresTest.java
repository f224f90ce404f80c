package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.StoreException.Outcome;
import dev.holdfast.embedded.testing.TestDatabase;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.db.SocketValidatedDataSource;
import dev.holdfast.postgres.db.SqlFailures;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How errors of the database are classified. */
class SqlFailuresTest {
  private static final Duration SOON = Duration.ofSeconds(20);

  private static PostgresFixture fixture;
  private static Database database;

  @BeforeAll
  static void open() {
    fixture = new PostgresFixture();
    database = Database.own(source(fixture.database(), ""), "holdfast");
  }

  @AfterAll
  static void close() {
    fixture.close();
  }

  @Test
  void aValueThatCannotBeStoredIsRejected() {
    StoreException failure = failureOf("select 'x'::int");

    assertThat(failure.outcome()).isEqualTo(Outcome.REFUSED);
    assertThat(failure)
        .hasMessageStartingWith("Could not try this: invalid input syntax for type integer")
        .hasMessageContaining("will be refused again");
  }

  @Test
  void anExceptionOfADatabaseTriggerIsARejection() {
    StoreException failure = failureOf("do 'begin raise exception ''not today''; end'");

    assertThat(failure.outcome()).isEqualTo(Outcome.REFUSED);
    assertThat(failure).hasMessageContaining("not today");
  }

  @Test
  void aStatementTimeoutMayBeRetried() {
    StoreException failure = failureOf("set statement_timeout = 10; select pg_sleep(10)");

    assertThat(failure.outcome()).isEqualTo(Outcome.RETRYABLE);
    assertThat(failure).hasMessageContaining("longer than the statement timeout");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"deallocate of_another", "prepare mine as select 1; prepare mine as select 1"})
  void aPreparedStatementLostByAPoolerMayBeRetried(String sql) {
    assertThat(failureOf(sql).outcome()).isEqualTo(Outcome.RETRYABLE);
  }

  @Test
  void theTimeoutOfARequestEndsWithItEvenIfItFails() {
    database.run(
        "try this",
        handle -> {
          Database same = Database.own(OneConnection.source(handle.getConnection()), "holdfast");

          assertThatThrownBy(() ->
                  same.within(Duration.ofSeconds(3), "try this", h -> h.execute("select 'x'::int")))
              .isInstanceOf(StoreException.class);
          assertThat(handle.getConnection().getNetworkTimeout()).isZero();
          return null;
        });
  }

  @Test
  void externalConnectionsGetAStatementTimeout() {
    Database external =
        Database.external(source(fixture.database(), ""), "holdfast", Duration.ofSeconds(1));

    StoreException failure =
        catchThrowableOfType(
            StoreException.class,
            () -> external.run("try this", handle -> handle.execute("select pg_sleep(20)")));

    assertThat(failure.outcome()).isEqualTo(Outcome.RETRYABLE);
  }

  @Test
  void aLockTimeoutMayBeRetried() throws SQLException {
    try (Connection other = fixture.database().connect();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("lock table holdfast.queue");

      StoreException failure =
          failureOf("set lock_timeout = 10; insert into holdfast.queue (name) values ('q')");

      assertThat(failure.outcome()).isEqualTo(Outcome.RETRYABLE);
    }
  }

  @Test
  void aConnectionThatBreaksDuringAStatementLeavesTheOutcomeUnknown() {
    CompletableFuture<Integer> request =
        CompletableFuture.supplyAsync(
            () -> database.run("try this", handle -> handle.execute("select pg_sleep(60)")));
    await().atMost(SOON).until(SqlFailuresTest::terminateSleepers);

    CompletionException thrown = catchThrowableOfType(CompletionException.class, request::join);

    assertThat(thrown)
        .cause()
        .isInstanceOfSatisfying(
            StoreException.class,
            failure -> assertThat(failure.outcome()).isEqualTo(Outcome.UNKNOWN))
        .hasMessageContaining("the request may have been carried out");
  }

  @Test
  void aTransactionWhoseSessionEndedDuringAPauseIsNeverReportedAsCommitted() {
    StoreException failure =
        catchThrowableOfType(
            StoreException.class,
            () ->
                database.transaction(
                    "try this",
                    handle -> {
                      handle.execute("set local idle_in_transaction_session_timeout = 20");
                      handle.execute("insert into holdfast.queue (name) values ('stood still')");
                      await().atMost(SOON).until(SqlFailuresTest::noSessionIsIdleInTransaction);
                      return null;
                    }));

    assertThat(failure.outcome()).isIn(Outcome.RETRYABLE, Outcome.UNKNOWN);
    assertThat(fixture.ask("select count(*) from holdfast.queue where name = 'stood still'"))
        .isEqualTo("0");
  }

  @Test
  void theWaitForASilentExternalSocketIsBounded() throws SQLException {
    Database external =
        Database.external(source(fixture.database(), ""), "holdfast", Duration.ofSeconds(1));
    try (Connection theirs = fixture.database().connect()) {
      StoreException failure =
          catchThrowableOfType(
              StoreException.class,
              () ->
                  // Like a commit that waits for a standby: no statement timeout ends it.
                  external.patiently(
                      theirs,
                      connection -> {
                        try (Statement statement = connection.createStatement()) {
                          return statement.execute("select pg_sleep(20)");
                        } catch (SQLException silent) {
                          throw SqlFailures.during("try this", silent);
                        }
                      }));

      assertThat(failure.outcome()).isEqualTo(Outcome.UNKNOWN);
    }
  }

  @Test
  void aSilentSocketLeavesTheOutcomeUnknown() {
    Database impatient = Database.own(source(fixture.database(), "&socketTimeout=1"), "holdfast");

    StoreException failure =
        catchThrowableOfType(
            StoreException.class,
            () -> impatient.run("try this", handle -> handle.execute("select pg_sleep(20)")));

    assertThat(failure.outcome()).isEqualTo(Outcome.UNKNOWN);
  }

  @Test
  void aPoolWithoutFreeConnectionsHasChangedNothing() {
    PostgresSettings settings = fixture.settings().poolSize(2).build();
    try (PostgresStore store = PostgresStore.connect(settings)) {
      store.intake().enqueue(List.of(Drafts.job()));
      store.close();

      StoreException failure =
          catchThrowableOfType(
              StoreException.class, () -> store.intake().enqueue(List.of(Drafts.job())));

      assertThat(failure.outcome()).isEqualTo(Outcome.RETRYABLE);
      assertThat(failure).hasMessageStartingWith("No connection to enqueue 1 jobs");
    }
  }

  private static StoreException failureOf(String sql) {
    return catchThrowableOfType(
        StoreException.class,
        () -> database.run("try this", handle -> handle.createScript(sql).execute()));
  }

  private static boolean noSessionIsIdleInTransaction() {
    return fixture
        .ask(
            "select count(*) from pg_stat_activity where state = 'idle in transaction' and datname"
                + " = current_database()")
        .equals("0");
  }

  private static boolean terminateSleepers() {
    return fixture
        .ask(
            "select count(pg_terminate_backend(pid)) > 0 from pg_stat_activity where query like"
                + " '%pg_sleep(60)%' and pid <> pg_backend_pid() and datname = current_database()")
        .equals("t");
  }

  private static SocketValidatedDataSource source(TestDatabase database, String parameters) {
    Properties properties = new Properties();
    properties.setProperty("user", database.user());
    properties.setProperty("password", database.password());
    String url = database.jdbcUrl();
    return new SocketValidatedDataSource(
        parameters.isEmpty()
            ? url
            : url + (url.contains("?") ? "&" : "?") + parameters.substring(1),
        properties);
  }
}
