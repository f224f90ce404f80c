package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.github.f4b6a3.uuid.UuidCreator;
import dev.holdfast.api.job.CancelResult;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.RetryResult;
import dev.holdfast.api.job.WaitReason;
import dev.holdfast.engine.store.Admission;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.engine.store.Outcomes.Result;
import dev.holdfast.engine.store.Upkeep.Retention;
import dev.holdfast.postgres.db.Database;
import dev.holdfast.postgres.finish.PgOutcomes;
import dev.holdfast.postgres.query.PgJobControl;
import dev.holdfast.postgres.query.PgJobQueries;
import dev.holdfast.postgres.upkeep.PgUpkeep;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * With a year of history, no statement that looks up a job by its id locks more than a few
 * partitions: the lock table of a server has room for about 6,400 locks of all sessions.
 */
class HistoryLocksTest {
  private static final int DAYS = 400;
  private static final int MOST_LOCKS = 60;

  /** For transactions of several statements, and for writing. */
  private static final int MOST_LOCKS_OF_WRITERS = 110;

  private static PostgresFixture fixture;

  private final Measured measured = new Measured();
  private final Database database = Database.own(measured.source(), "holdfast");

  @BeforeAll
  static void makeAYearOfHistory() throws SQLException {
    fixture = new PostgresFixture();
    LocalDate today = LocalDate.now(ZoneOffset.UTC);
    try (Connection connection = fixture.database().connect();
        Statement statement = connection.createStatement()) {
      for (int ago = 1; ago <= DAYS; ago++) {
        LocalDate day = today.minusDays(ago);
        statement.execute(
            "create table holdfast.job_history_%s partition of holdfast.job_history for values from ('%s 00:00+00') to ('%s 00:00+00')"
                .formatted(DateTimeFormatter.BASIC_ISO_DATE.format(day), day, day.plusDays(1)));
      }
    }
  }

  @AfterAll
  static void close() {
    fixture.close();
  }

  @BeforeEach
  void empty() {
    fixture.execute("delete from holdfast.job; delete from holdfast.dead_letter");
  }

  /** A connection that commits after each statement, and counts the locks before it does. */
  private static final class Measured {
    private int most;

    DataSource source() {
      return proxy(
          DataSource.class,
          (method, arguments) -> {
            assertThat(method).isEqualTo("getConnection");
            return connection(fixture.database().connect());
          });
    }

    private Connection connection(Connection real) throws SQLException {
      real.setAutoCommit(false);
      boolean[] transaction = {false};
      return proxy(
          Connection.class,
          (method, arguments) -> {
            if (method.equals("getAutoCommit")) {
              return !transaction[0];
            }
            if (method.equals("setAutoCommit")) {
              transaction[0] = !(Boolean) arguments[0];
              measure(real, true);
              return null;
            }
            if (List.of("prepareStatement", "createStatement", "commit", "close")
                .contains(method)) {
              measure(real, !transaction[0] && !method.equals("commit"));
            }
            try {
              Class<?>[] types = new Class<?>[arguments.length];
              for (int i = 0; i < types.length; i++) {
                types[i] =
                    arguments[i] instanceof Integer
                        ? int.class
                        : arguments[i] instanceof Object[]
                            ? Object[].class
                            : arguments[i].getClass();
              }
              return Connection.class.getMethod(method, types).invoke(real, arguments);
            } catch (InvocationTargetException thrown) {
              throw thrown.getCause();
            }
          });
    }

    private void measure(Connection real, boolean commit) throws SQLException {
      try (Statement statement = real.createStatement();
          ResultSet row =
              statement.executeQuery(
                  "select count(*) from pg_locks where pid = pg_backend_pid()")) {
        row.next();
        most = Math.max(most, row.getInt(1));
      }
      if (commit) {
        real.commit();
      }
    }

    private interface Call {
      Object to(String method, Object[] arguments) throws Throwable;
    }

    private static <T> T proxy(Class<T> type, Call call) {
      return type.cast(
          Proxy.newProxyInstance(
              type.getClassLoader(),
              new Class<?>[] {type},
              (proxy, method, arguments) ->
                  call.to(method.getName(), arguments == null ? new Object[0] : arguments)));
    }
  }

  private static JobId idCreatedDaysAgo(int days) {
    return new JobId(UuidCreator.getTimeOrderedEpoch(Instant.now().minus(days, ChronoUnit.DAYS)));
  }

  private static JobId ended(JobId id, int daysAgo) {
    fixture.execute(
        """
        insert into holdfast.job_history (id, token, created_at, run_at, finished_at, attempt,
          priority, cancel_requested, state, queue, task, result)
        values ('%s', 1, now(), now(), now() - interval '%d days', 1, 4, false, 'SUCCEEDED', 'mail',
          'mail::send', '1')
        """
            .formatted(id, daysAgo));
    return id;
  }

  @Test
  void jobsAreFoundByIdHoweverLongAgoTheyEnded() {
    PgJobQueries lookup = new PgJobQueries(database);
    List<JobId> ids =
        List.of(
            ended(idCreatedDaysAgo(0), 0),
            ended(idCreatedDaysAgo(300), 300),
            ended(idCreatedDaysAgo(200), 150), // The job waited for seven weeks.
            ended(idCreatedDaysAgo(50), 60), // The clock of its client was ten days ahead.
            ended(idCreatedDaysAgo(-3_000), 390), // The clock of its client was in another decade.
            ended(new JobId(UUID.randomUUID()), 222), // The id contains no time.
            ended(idCreatedDaysAgo(1), 500)); // In the default partition.
    JobId unknown = idCreatedDaysAgo(10);

    assertThat(lookup.find(ids)).containsOnlyKeys(ids);
    assertThat(ids).allSatisfy(id -> assertThat(lookup.find(List.of(id))).containsOnlyKeys(id));
    assertThat(lookup.find(List.of(unknown))).isEmpty();
    assertThat(lookup.whyWaiting(ids.get(2)))
        .contains(new WaitReason.NotWaiting(JobState.SUCCEEDED));
    assertThat(lookup.whyWaiting(unknown)).isEmpty();

    assertThat(measured.most).isBetween(10, MOST_LOCKS);
  }

  @Test
  void requestsAboutJobsLockFewPartitions() {
    PgJobControl control = new PgJobControl(database, Duration.ofMinutes(15));
    JobId old = ended(idCreatedDaysAgo(200), 150);
    JobId unknown = idCreatedDaysAgo(10);

    assertThat(control.cancel(old)).isEqualTo(CancelResult.ALREADY_ENDED);
    assertThat(control.retry(old)).isEqualTo(RetryResult.NOT_FAILED);
    assertThat(control.cancel(unknown)).isEqualTo(CancelResult.NOT_FOUND);
    assertThat(control.retry(unknown)).isEqualTo(RetryResult.NOT_FOUND);

    assertThat(measured.most).isBetween(10, MOST_LOCKS);
  }

  @Test
  void aRepeatedFinishLocksFewPartitions() {
    PgOutcomes outcomes = new PgOutcomes(database, Duration.ofMinutes(15));
    ClaimId old = new ClaimId(ended(idCreatedDaysAgo(200), 150), 1);
    ClaimId unknown = new ClaimId(idCreatedDaysAgo(10), 1);
    ClaimId failed = new ClaimId(idCreatedDaysAgo(10), 1);

    assertThat(
            outcomes.finish(
                UUID.randomUUID(),
                List.of(
                    new Finish.Succeeded(old, null, null),
                    new Finish.Succeeded(unknown, null, null))))
        .containsExactly(Result.WRITTEN, Result.LOST);
    assertThat(
            outcomes.finish(
                UUID.randomUUID(),
                List.of(new Finish.Cancelled(failed), new Finish.Succeeded(old, null, null))))
        .containsExactly(Result.LOST, Result.WRITTEN);

    assertThat(measured.most).isBetween(10, MOST_LOCKS_OF_WRITERS);
  }

  @Test
  void upkeepLocksFewPartitions() {
    JobId old = ended(idCreatedDaysAgo(200), 150);
    fixture.execute(
        "update holdfast.job_history set result_until = now() where id = '%s'".formatted(old));
    PgUpkeep upkeep = new PgUpkeep(database);

    assertThat(
            upkeep
                .tidy(new Retention(Duration.ofDays(1_000), Duration.ofDays(1_000)))
                .resultsDropped())
        .isEqualTo(1);

    assertThat(measured.most).isBetween(10, MOST_LOCKS_OF_WRITERS);
    assertThat(
            fixture.ask("select result is null from holdfast.job_history where id = '" + old + "'"))
        .isEqualTo("t");
  }

  @Test
  void fiftyConcurrentRepeatedEnqueuesFitIntoTheLockTable() throws SQLException {
    List<Connection> open = new ArrayList<>();
    try {
      for (int i = 0; i < 50; i++) {
        Connection connection = fixture.database().connect();
        open.add(connection);
        connection.setAutoCommit(false);
        JobId old = ended(idCreatedDaysAgo(200), 150);
        List<NewJob> jobs = List.of(repeated(Drafts.job().id()), repeated(old));

        assertThatCode(() ->
                assertThat(fixture.store().intakeIn(connection, false).enqueue(jobs))
                    .extracting(Admission::outcome)
                    .containsExactly(Enqueued.Outcome.CREATED, Enqueued.Outcome.EXISTING))
            .doesNotThrowAnyException();
      }
    } finally {
      for (Connection connection : open) {
        connection.rollback();
        connection.close();
      }
    }
  }

  private static NewJob repeated(JobId id) {
    NewJob draft = Drafts.job();
    return new NewJob(id, NewJob.IdUse.FRESH, draft.when(), null, draft.content()).repeated();
  }
}
