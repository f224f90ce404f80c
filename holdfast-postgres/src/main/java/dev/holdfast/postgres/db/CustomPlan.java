package dev.holdfast.postgres.db;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.jdbi.v3.core.statement.StatementContext;
import org.jdbi.v3.core.statement.StatementCustomizer;
import org.postgresql.PGStatement;

/**
 * Lets the database plan a statement for the values at hand, each time.
 *
 * <p>For statements with optional conditions: a plan made once for all values could not use the
 * index that suits the ones given.
 */
public final class CustomPlan implements StatementCustomizer {
  public static final CustomPlan INSTANCE = new CustomPlan();

  private CustomPlan() {}

  @Override
  public void beforeExecution(PreparedStatement statement, StatementContext context)
      throws SQLException {
    plan(statement);
  }

  /** Never keep a plan of this statement. */
  public static void plan(PreparedStatement statement) throws SQLException {
    if (statement.isWrapperFor(PGStatement.class)) {
      statement.unwrap(PGStatement.class).setPrepareThreshold(0);
    }
  }
}
