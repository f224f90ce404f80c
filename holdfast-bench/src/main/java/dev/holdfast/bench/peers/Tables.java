package dev.holdfast.bench.peers;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The database that holds a peer's tables, and what the benchmark itself asks of it. */
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
      throw new IllegalStateException("PostgreSQL refused: " + script, failure);
    }
  }

  /**
   * Refresh the planner's statistics. A table that was empty a moment ago is planned as if it still
   * were until autovacuum comes by, and the first round would measure when that happens to be.
   */
  void analyze() {
    run("analyze");
  }

  /** Ask {@code question} until the answer is no. */
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
      throw new IllegalStateException("PostgreSQL refused: " + question, failure);
    }
  }

  private static boolean isTrue(Statement statement, String question) throws SQLException {
    try (ResultSet answer = statement.executeQuery(question)) {
      return answer.next() && answer.getBoolean(1);
    }
  }
}
