package dev.holdfast.bench.peers;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The database with a library's tables, and the statements of the benchmark itself. */
public final class Tables {
  private static final Duration PAUSE = Duration.ofMillis(1);

  private @Nullable DataSource database;

  public void connect(DataSource to) {
    this.database = to;
  }

  DataSource database() {
    if (database == null) {
      throw new IllegalStateException("The peer has no database yet: call connect first");
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
