package dev.holdfast.postgres;

import dev.holdfast.engine.store.EventIntake;
import dev.holdfast.postgres.db.Database;
import java.util.List;

/** Events, each a transaction of its own. */
final class PgEvents implements EventIntake {
  private final Database database;
  private final EventStatements statements;

  PgEvents(Database database, EventStatements statements) {
    this.database = database;
    this.statements = statements;
  }

  @Override
  public List<Started> publish(String event, Plan plan) {
    return database.transaction(
        "publish event %s".formatted(event),
        handle ->
            new EventTransaction(statements, handle.getConnection())
                .publish(event, plan)
                .answers());
  }
}
