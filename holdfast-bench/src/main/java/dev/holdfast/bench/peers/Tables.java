package dev.holdfast.bench.peers;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The database with a peer's tables, and the statements of the benchmark itself. */
final class Tables {
  private static final Duration PAUSE = Duration.ofMillis(1);

  private @Nullable DataSource database;

  void installIn(DataSource database) {
    this.database = database;
  }

  DataSource database() {
    if (database == null) {
      throw new IllegalStateException("The peer has no tables yet: call install first");
    }
    return database;
  }

  void run(String script) {
    try (Connection connection = database().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(script);
    } catch (SQLException failure) {
      throw new IllegalStateException("PostgreSQL rejected: " + script, failure);
    }
  }

  /**
   * Refreshes the planner's statistics. Otherwise a table that was just empty is planned as empty
   * until the next autovacuum, and the first round would depend on when that happens.
   */
  void analyze() {
    run("analyze");
  }

  /** Executes {@code question} until its result is false. */
  void awaitNo(String question, Duration patience) throws InterruptedException {
    long askedFirst = System.nanoTime();
    try (Connection connection = database().getConnection();
        Statement statement = connection.createStatement()) {
      while (isTrue(statement, question)) {
        if (System.nanoTime() - askedFirst > patience.toNanos()) {
          throw new IllegalStateException(
              "Every job ran, but after " + patience + " this is still true: " + question);
        }
        Thread.sleep(PAUSE);
      }
    } catch (SQLException failure) {
      throw new IllegalStateException("PostgreSQL rejected: " + question, failure);
    }
  }

  private static boolean isTrue(Statement statement, String question) throws SQLException {
    try (ResultSet result = statement.executeQuery(question)) {
      return result.next() && result.getBoolean(1);
    }
  }
}
