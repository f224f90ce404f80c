package dev.holdfast.postgres.schema;

import java.sql.SQLException;
import java.sql.Statement;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.callback.BaseCallback;
import org.flywaydb.core.api.callback.Context;
import org.flywaydb.core.api.callback.Event;

/** Lets each migration take its time, on connections that others configured as well. */
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
      throw new FlywayException("No time could be given to a migration", failure);
    }
  }
}
