package dev.holdfast.postgres.db;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.jdbi.v3.core.statement.StatementContext;
import org.jdbi.v3.core.statement.StatementCustomizer;
import org.postgresql.PGStatement;

/**
 * Makes the database plan a statement for its actual parameters on each execution.
 *
 * <p>For statements with optional conditions: a generic plan could not use the index that suits the
 * given parameters.
 */
public final class CustomPlan implements StatementCustomizer {
  public static final CustomPlan INSTANCE = new CustomPlan();

  private CustomPlan() {}

  @Override
  public void beforeExecution(PreparedStatement statement, StatementContext context)
      throws SQLException {
    plan(statement);
  }

  /** Prevents the server from caching a plan of this statement. */
  public static void plan(PreparedStatement statement) throws SQLException {
    if (statement.isWrapperFor(PGStatement.class)) {
      statement.unwrap(PGStatement.class).setPrepareThreshold(0);
    }
  }
}
