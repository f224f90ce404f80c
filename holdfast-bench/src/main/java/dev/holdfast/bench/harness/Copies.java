package dev.holdfast.bench.harness;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Copies one row many times in SQL, because enqueuing millions of jobs would take too long. */
public final class Copies {
  private static final int PER_STATEMENT = 500_000;

  /** Increasing ids with timestamps in the past, as those of older jobs. */
  private static final String ID =
      "(lpad(to_hex(1600000000000 + n), 12, '0') || substr(md5(n::text), 13))::uuid";

  /** Copies were created when their ids say so. */
  private static final String CREATED_AT = "to_timestamp((1600000000000 + n) / 1000.0)";

  private final BenchServer server;
  private final String schema;

  public Copies(BenchServer server, String schema) {
    this.server = server;
    this.schema = schema;
  }

  /**
   * Copies one row.
   *
   * @param where the condition that selects the row; if several match, any of them is copied
   * @param firstId the number that the ids start with
   */
  public void make(String table, String where, long firstId, long copies) throws SQLException {
    make(table, "id", where, firstId, copies);
  }

  /**
   * Copies one row. Copies in two tables with the same first id belong together.
   *
   * @param id the column that is different in each copy
   */
  public void make(String table, String id, String where, long firstId, long copies)
      throws SQLException {
    try (Connection connection = server.connect();
        Statement session = connection.createStatement()) {
      session.execute("set synchronous_commit = off");
      List<String> columns = columns(connection, table);
      String insert =
          """
          insert into %1$s.%2$s (%3$s)
          select %4$s
          from (select * from %1$s.%2$s where %5$s limit 1) o
          cross join generate_series(?::bigint, ?::bigint) n
          """
              .formatted(
                  schema,
                  table,
                  String.join(", ", columns),
                  String.join(", ", columns.stream().map(column -> value(column, id)).toList()),
                  where);
      try (PreparedStatement statement = connection.prepareStatement(insert)) {
        for (long done = 0; done < copies; done += PER_STATEMENT) {
          statement.setLong(1, firstId + done);
          statement.setLong(2, firstId + Math.min(copies, done + PER_STATEMENT) - 1);
          statement.executeUpdate();
        }
      }
      // Autovacuum would do this sooner or later, possibly in the middle of a round.
      session.execute("vacuum (analyze) %s.%s".formatted(schema, table));
    }
  }

  private static String value(String column, String id) {
    return column.equals(id) ? ID : column.equals("created_at") ? CREATED_AT : "o." + column;
  }

  private List<String> columns(Connection connection, String table) throws SQLException {
    try (PreparedStatement query =
        connection.prepareStatement(
            """
            select column_name from information_schema.columns
            where table_schema = ? and table_name = ? order by ordinal_position
            """)) {
      query.setString(1, schema);
      query.setString(2, table);
      List<String> columns = new ArrayList<>();
      try (ResultSet row = query.executeQuery()) {
        while (row.next()) {
          columns.add(row.getString(1));
        }
      }
      return columns;
    }
  }
}
