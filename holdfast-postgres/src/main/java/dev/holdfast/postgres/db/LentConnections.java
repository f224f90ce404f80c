package dev.holdfast.postgres.db;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jdbi.v3.core.ConnectionException;
import org.jdbi.v3.core.ConnectionFactory;
import org.jdbi.v3.core.statement.Cleanable;

/**
 * Connections of a source that others configured, treated as ours while we use them: statements
 * commit by themselves, which others may have switched off, and no answer is waited for for ever.
 *
 * @param silenceMillis how long an answer is waited for
 */
record LentConnections(DataSource source, int silenceMillis) implements ConnectionFactory {

  @Override
  public Connection openConnection() throws SQLException {
    return source.getConnection();
  }

  @Override
  public Cleanable getCleanableFor(Connection connection) {
    try {
      Lent lent = Lent.within(silenceMillis, connection);
      connection.setAutoCommit(true);
      return () -> {
        try {
          lent.close();
        } finally {
          connection.close();
        }
      };
    } catch (SQLException broken) {
      try {
        connection.close();
      } catch (SQLException too) {
        broken.addSuppressed(too);
      }
      throw new ConnectionException(broken);
    }
  }
}
