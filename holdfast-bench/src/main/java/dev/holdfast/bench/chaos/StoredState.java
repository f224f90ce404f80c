package dev.holdfast.bench.chaos;

import dev.holdfast.bench.chaos.Evidence.Ended;
import dev.holdfast.embedded.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** Reads the tables of a cluster directly, bypassing the store that is being checked. */
final class StoredState {
  private final EmbeddedPostgres server;
  private final String database;
  private final String schema;

  StoredState(EmbeddedPostgres server, String database, String schema) {
    this.server = server;
    this.database = database;
    this.schema = schema;
  }

  int livingNodes() throws SQLException {
    return (int) number("select count(*) from %s.node where state = 'ALIVE'");
  }

  long liveJobs() throws SQLException {
    return number("select count(*) from %s.job");
  }

  private long number(String sql) throws SQLException {
    try (Connection connection = server.connect(database);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql.formatted(schema))) {
      row.next();
      return row.getLong(1);
    }
  }

  List<Ended> ended() throws SQLException {
    List<Ended> ended = new ArrayList<>();
    try (Connection connection = server.connect(database);
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                """
                select id, token, state from %1$s.job_history
                union all
                select id, token, '%2$s' from %1$s.dead_letter
                """
                    .formatted(schema, Evidence.FAILED))) {
      while (row.next()) {
        ended.add(new Ended(row.getObject(1, UUID.class), row.getLong(2), row.getString(3)));
      }
    }
    return ended;
  }

  Set<UUID> live() throws SQLException {
    Set<UUID> live = new HashSet<>();
    try (Connection connection = server.connect(database);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("select id from %s.job".formatted(schema))) {
      while (row.next()) {
        live.add(row.getObject(1, UUID.class));
      }
    }
    return live;
  }

  /** Returns a line for each job that has not ended, with what helps to find out why. */
  List<String> stuck(int most) throws SQLException {
    List<String> lines = new ArrayList<>();
    try (Connection connection = server.connect(database);
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                """
                select format('Job %%s is %%s, token %%s, crashes %%s, due %%s, held by %%s (%%s)',
                    j.id, j.state, j.token, j.crashes, j.run_at - now(), n.id, n.state)
                from %1$s.job j left join %1$s.node n using (incarnation)
                limit %2$d
                """
                    .formatted(schema, most))) {
      while (row.next()) {
        lines.add(row.getString(1));
      }
    }
    return lines;
  }
}
