package dev.holdfast.bench;

import dev.holdfast.cli.database.Address;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import java.util.function.LongConsumer;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** Receives notifications with the ids of jobs, and claims each job by its id, in bare SQL. */
final class BareReceiver implements Runnable {
  private static final String CLAIM =
      """
      update %s.job
         set state = 'RUNNING', token = token + 1, attempt = attempt + 1, claim_no = 1,
             started_at = now()
       where id = ? and state = 'READY'
      returning payload
      """;

  private final Connection listener;
  private final PreparedStatement claim;
  private final LongConsumer started;

  /**
   * Starts to listen.
   *
   * @param schema the schema of the tables of {@link RawJobs}
   * @param started called with the payload of each claimed job
   */
  BareReceiver(Address address, String schema, LongConsumer started) throws SQLException {
    this.listener = address.connect();
    this.claim = address.connect().prepareStatement(CLAIM.formatted(schema));
    this.started = started;
    try (Statement statement = listener.createStatement()) {
      statement.execute("listen " + ProducerChild.CHANNEL);
    }
  }

  @Override
  public void run() {
    try {
      PGConnection connection = listener.unwrap(PGConnection.class);
      while (true) {
        PGNotification[] received = connection.getNotifications(0);
        for (PGNotification notification : received == null ? new PGNotification[0] : received) {
          claim(UUID.fromString(notification.getParameter()));
        }
      }
    } catch (SQLException closed) {
      throw new IllegalStateException("The bare receiver lost its connection", closed);
    }
  }

  private void claim(UUID id) throws SQLException {
    claim.setObject(1, id);
    try (ResultSet row = claim.executeQuery()) {
      if (row.next()) {
        started.accept(Long.parseLong(row.getString(1)));
      }
    }
  }
}
