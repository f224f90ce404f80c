package dev.holdfast.postgres.db;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.StoreException.Outcome;
import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * What an error of the database means for the request that met it.
 *
 * <p>The question is always the same: was it carried out? An error that the server itself reports
 * has rolled its transaction back. An error of the connection leaves it open whether the request
 * arrived, unless the connection could not even be made.
 */
public final class SqlFailures {
  public static final String UNIQUE_VIOLATION = "23505";

  /** A lock was waited for as long as its statement was told to wait. */
  public static final String LOCK_NOT_AVAILABLE = "55P03";

  private static final String FEATURE_NOT_SUPPORTED = "0A000";
  private static final String COMPLETION_UNKNOWN = "40003";
  private static final String READ_ONLY = "25006";
  private static final String IDLE_IN_TRANSACTION = "25P03";
  private static final String CHECK_VIOLATION = "23514";

  /**
   * After a schema change a prepared plan may be stale, and the driver prepares it anew; a server
   * that has just become a standby accepts no writes, and its successor will. A prepared statement
   * that is not there, or there already, is one that a pooler has left on another connection.
   */
  private static final Set<String> PASSING =
      Set.of(FEATURE_NOT_SUPPORTED, READ_ONLY, IDLE_IN_TRANSACTION, "26000", "42P05");

  /** What is said to a startup parameter that is not known, or not wanted. */
  private static final Set<String> STARTUP = Set.of("08P01", "42704", "22023");

  /**
   * What a server says that is no longer the primary, or never was: it takes no writes, is in
   * recovery (25006, 0A000, 55000), shuts down, has crashed, or does not accept connections yet.
   */
  private static final Set<String> NOT_PRIMARY =
      Set.of(READ_ONLY, FEATURE_NOT_SUPPORTED, "55000", "57P01", "57P02", "57P03", "57P04");

  private SqlFailures() {}

  /** Translate a failure to get a connection: nothing has been sent. */
  static StoreException connecting(String operation, Throwable failure) {
    String state = state(failure);
    boolean login = state.startsWith("28") || state.startsWith("3D");
    boolean startup = fromServer(failure) && STARTUP.contains(state);
    return new StoreException(
        login || startup ? Outcome.REFUSED : Outcome.RETRYABLE,
        "No connection to %s: %s. %s"
            .formatted(
                operation,
                reason(failure),
                login
                    ? "Check the user, the password and the name of the database."
                    : startup
                        ? "The server, or a pooler in front of it, rejects a startup parameter of"
                            + " Holdfast's own connections. Use a URL that goes past the pooler, or"
                            + " give PostgresStore.on a DataSource, whose connections do without;"
                            + " trying again does not help."
                        : "Nothing was changed; ask again when the database can be reached and has"
                            + " connections to give."),
        failure);
  }

  /** Translate a failure of a request that was sent, or may have been. */
  public static StoreException during(String operation, Throwable failure) {
    String state = state(failure);
    Outcome outcome = outcome(state, failure);
    return new StoreException(
        outcome,
        "Could not %s: %s. %s".formatted(operation, reason(failure), advice(outcome, state)),
        failure);
  }

  /** The SQLSTATE of a failure; empty where it has none. */
  public static String state(Throwable failure) {
    SQLException sql = sqlException(failure);
    return sql == null || sql.getSQLState() == null ? "" : sql.getSQLState();
  }

  private static Outcome outcome(String state, Throwable failure) {
    if (state.equals(COMPLETION_UNKNOWN) || !fromServer(failure)) {
      return Outcome.UNKNOWN;
    }
    if (PASSING.contains(state) || metNewPartition(state, failure)) {
      return Outcome.RETRYABLE;
    }
    return switch (state.substring(0, 2)) {
      case "40", "53", "55", "58" -> Outcome.RETRYABLE;
      // 57P01 and 57P02 end the session: they may come after the commit and before its answer.
      case "57" ->
          state.equals("57014") || state.equals("57P03") ? Outcome.RETRYABLE : Outcome.UNKNOWN;
      case "08", "XX" -> Outcome.UNKNOWN;
      // Bad data, broken constraints, missing rights, a trigger of the user's own that objects.
      default -> Outcome.REFUSED;
    };
  }

  /**
   * Whether a row was on its way to the default partition while another was made for it, or is
   * about to be. The next try finds that one. No other error of this kind names a table and no
   * constraint.
   */
  private static boolean metNewPartition(String state, Throwable failure) {
    ServerErrorMessage server = serverMessage(failure);
    return state.equals(CHECK_VIOLATION)
        && server != null
        && (server.getConstraint() == null
            || server.getConstraint().startsWith("job_history_default_without_"))
        && server.getTable() != null
        && server.getTable().endsWith("_default");
  }

  /** Whether this is about the way to the database, and not about what was asked of it. */
  public static boolean isOfConnection(Throwable failure) {
    return !fromServer(failure) || state(failure).startsWith("08");
  }

  /**
   * Whether a connection should not be used again, although it may work: the address it was made
   * with may lead to another server by now.
   */
  static boolean isNotPrimary(Throwable failure) {
    return NOT_PRIMARY.contains(state(failure));
  }

  private static String advice(Outcome outcome, String state) {
    return switch (outcome) {
      case REFUSED ->
          state.equals("42501")
              ? "Nothing was changed: grant the role what it lacks, see docs/database.md."
              : "Nothing was changed, and the same request will be refused again.";
      case RETRYABLE ->
          state.equals("57014")
              ? "It took longer than the statement timeout, perhaps waiting for another transaction"
                  + " to end; nothing was changed, ask again."
              : "Nothing was changed; ask again.";
      case UNKNOWN ->
          "The connection broke before the answer came, so it may have been done; only a"
              + " repeatable request may be sent again.";
    };
  }

  private static boolean fromServer(Throwable failure) {
    return serverMessage(failure) != null;
  }

  private static @Nullable ServerErrorMessage serverMessage(Throwable failure) {
    return sqlException(failure) instanceof PSQLException psql
        ? psql.getServerErrorMessage()
        : null;
  }

  /** What the database said. */
  public static String reason(Throwable failure) {
    ServerErrorMessage server = serverMessage(failure);
    if (server != null && server.getMessage() != null) {
      return server.getMessage();
    }
    SQLException sql = sqlException(failure);
    String message = sql != null ? sql.getMessage() : failure.getMessage();
    return message == null ? failure.getClass().getSimpleName() : stripEnd(message);
  }

  private static String stripEnd(String message) {
    return message.endsWith(".") ? message.substring(0, message.length() - 1) : message;
  }

  /** The innermost is what the driver said; those around it come from pools and batches. */
  private static @Nullable SQLException sqlException(Throwable failure) {
    SQLException innermost = null;
    for (Throwable t = failure; t != null; t = t.getCause()) {
      if (t instanceof SQLException sql) {
        innermost = sql;
      }
    }
    return innermost;
  }
}
