package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.store.ClaimRequest;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.postgres.claim.PgClaims;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.tck.contract.Worker;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Claims over a network that takes 50 ms for each statement. With windows, a claim that finds too
 * few jobs takes a second statement.
 */
class DistantDatabaseTest {
  private static final Duration LATENCY = Duration.ofMillis(50);
  private static final int ROUNDS = 5;

  private final PostgresFixture fixture = new PostgresFixture();
  private final AtomicInteger claimStatements = new AtomicInteger();
  private Connection connection;
  private Connection snapshot;
  private PgClaims claims;
  private Worker worker;
  private long calls;

  @BeforeEach
  void open() throws SQLException {
    snapshot = fixture.database().connect();
    connection = fixture.database().connect();
    try (Statement settings = connection.createStatement()) {
      settings.execute("set enable_seqscan = off; set enable_bitmapscan = off");
    }
    Database database =
        Database.own(OneConnection.source(distant()), PostgresSettings.DEFAULT_SCHEMA);
    claims = new PgClaims(database, PostgresSettings.DEFAULT_AGING);
    worker = Worker.join(fixture.store(), "node-1", Drafts.QUEUE, Drafts.TASK);
  }

  @AfterEach
  void close() throws SQLException {
    snapshot.close();
    connection.close();
    fixture.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void latencyAloneDoesNotAddStatements(int tasks) {
    claimSomeOf(tasks);

    assertThat(claimStatements(tasks)).isEqualTo(ROUNDS);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void entriesOfFinishedJobsAreSkippedWhileASnapshotKeepsThem(int tasks) throws SQLException {
    snapshot.setAutoCommit(false);
    snapshot.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    try (Statement statement = snapshot.createStatement()) {
      statement.execute("select count(*) from holdfast.job");
    }
    fixture.execute(
        """
        insert into holdfast.job (id, created_at, run_at, rank, priority, state, queue, task)
        select gen_random_uuid(), now(), now(), now() - interval '1 day', 4, 'READY', 'mail',
               'mail::send'
        from generate_series(1, 20000)
        """);
    fixture.execute("delete from holdfast.job");
    claimSomeOf(tasks);

    assertThat(claimStatements(tasks)).isEqualTo(2 * ROUNDS);
  }

  private void claimSomeOf(int tasks) {
    fixture.store().intake().enqueue(Stream.generate(Drafts::job).limit(3).toList());
    assertThat(claim(tasks)).hasSize(3);
  }

  /** Returns the number of statements of a claim that finds nothing. */
  private int claimStatements(int tasks) {
    int before = claimStatements.get();
    for (int round = 0; round < ROUNDS; round++) {
      assertThat(claim(tasks)).isEmpty();
    }
    return claimStatements.get() - before;
  }

  private List<ClaimedJob> claim(int tasks) {
    return claims.claim(
        new ClaimRequest(
            worker.incarnation(),
            ++calls,
            Drafts.QUEUE,
            List.of(Drafts.TASK, "mail::other").subList(0, tasks),
            10,
            0,
            null,
            ClaimRequest.Suspects.NONE,
            Set.of()));
  }

  private Connection distant() {
    return wrap(
        Connection.class,
        connection,
        (result, arguments) -> {
          if (result instanceof PreparedStatement statement) {
            boolean claims = ((String) arguments[0]).contains("claim_no = ");
            return wrap(PreparedStatement.class, statement, (any, none) -> any, claims);
          }
          return result;
        },
        false);
  }

  private interface Result {
    Object of(Object result, Object[] arguments);
  }

  private <T> T wrap(Class<T> type, T target, Result result, boolean claims) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              if (method.getName().startsWith("execute")) {
                Thread.sleep(LATENCY);
                if (claims) {
                  claimStatements.incrementAndGet();
                }
              }
              try {
                return result.of(method.invoke(target, arguments), arguments);
              } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
              }
            }));
  }
}
