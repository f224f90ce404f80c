package dev.holdfast.postgres.schema;

import java.sql.SQLException;
import java.sql.Statement;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.callback.BaseCallback;
import org.flywaydb.core.api.callback.Context;
import org.flywaydb.core.api.callback.Event;

/** Disables timeouts for each migration, on external connections as well. */
final class MigrationTimeouts extends BaseCallback {
  @Override
  public boolean supports(Event event, Context context) {
    return event == Event.BEFORE_EACH_MIGRATE;
  }

  @Override
  public void handle(Event event, Context context) {
    try (Statement statement = context.getConnection().createStatement()) {
      statement.execute("set local statement_timeout = 0");
      statement.execute("set local idle_in_transaction_session_timeout = 0");
    } catch (SQLException failure) {
      throw new FlywayException("Could not disable the timeouts for a migration", failure);
    }
  }
}
