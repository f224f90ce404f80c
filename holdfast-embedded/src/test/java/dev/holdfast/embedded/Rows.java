package dev.holdfast.embedded;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** One-line SQL for tests. */
final class Rows {

  private Rows() {}

  static void write(EmbeddedPostgres server, String... sql) throws SQLException {
    try (Connection connection = server.connect("postgres");
        Statement statement = connection.createStatement()) {
      for (String each : sql) {
        statement.execute(each);
      }
    }
  }

  static String read(EmbeddedPostgres server, String sql) throws SQLException {
    try (Connection connection = server.connect("postgres");
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      result.next();
      return result.getString(1);
    }
  }
}
