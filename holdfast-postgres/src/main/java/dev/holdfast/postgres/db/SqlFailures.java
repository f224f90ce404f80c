package dev.holdfast.postgres.db;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.StoreException.Outcome;
import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * Translates database errors into {@link StoreException}s.
 *
 * <p>The question is always whether the request was carried out. An error that the server reports
 * has rolled its transaction back. After a connection error it is unknown whether the request
 * arrived, unless the connection could not be opened at all.
 */
public final class SqlFailures {
  public static final String UNIQUE_VIOLATION = "23505";

  /** The statement waited for a lock until the lock timeout. */
  public static final String LOCK_NOT_AVAILABLE = "55P03";

  private static final String FEATURE_NOT_SUPPORTED = "0A000";
  private static final String COMPLETION_UNKNOWN = "40003";
  private static final String READ_ONLY = "25006";
  private static final String IDLE_IN_TRANSACTION = "25P03";
  private static final String CHECK_VIOLATION = "23514";

  /**
   * Errors that a retry resolves. After a schema change a prepared plan may be stale, and the
   * driver prepares it again. A server that has just become a standby accepts no writes, but its
   * successor does. A prepared statement that does not exist, or exists already, was left on
   * another connection by a pooler.
   */
  private static final Set<String> PASSING =
      Set.of(FEATURE_NOT_SUPPORTED, READ_ONLY, IDLE_IN_TRANSACTION, "26000", "42P05");

  /** The errors of a server for a startup parameter that is unknown or not allowed. */
  private static final Set<String> STARTUP = Set.of("42704", "22023");

  private static final String PROTOCOL_VIOLATION = "08P01";

  /**
   * The errors of a server that is not the primary: it accepts no writes, is in recovery (25006,
   * 0A000, 55000), is shutting down, has crashed, or does not accept connections yet.
   */
  private static final Set<String> NOT_PRIMARY =
      Set.of(READ_ONLY, FEATURE_NOT_SUPPORTED, "55000", "57P01", "57P02", "57P03", "57P04");

  private SqlFailures() {}

  /** Translates a failure to open a connection: nothing has been sent. */
  static StoreException connecting(String operation, Throwable failure) {
    String state = state(failure);
    boolean login = state.startsWith("28") || state.startsWith("3D");
    boolean startup = fromServer(failure) && isOfStartup(state, failure);
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
                            + " Holdfast's own connections. Use a URL that bypasses the pooler,"
                            + " or PostgresStore.on with a DataSource, which does not need the"
                            + " parameter; trying again does not help."
                        : "Nothing was changed; try again when the database can be reached and has"
                            + " free connections."),
        failure);
  }

  /**
   * Returns whether a startup parameter was rejected. PgBouncer has one SQLSTATE for all its errors
   * and never translates their text: it also reports this way that its server is away, as in a
   * failover, and that passes.
   */
  private static boolean isOfStartup(String state, Throwable failure) {
    return STARTUP.contains(state)
        || (state.equals(PROTOCOL_VIOLATION) && reason(failure).contains("startup parameter"));
  }

  /** Translates a failure of a request that was sent or may have been sent. */
  public static StoreException during(String operation, Throwable failure) {
    String state = state(failure);
    Outcome outcome = outcome(state, failure);
    return new StoreException(
        outcome,
        "Could not %s: %s. %s".formatted(operation, reason(failure), advice(outcome, state)),
        failure);
  }

  /** Returns the SQLSTATE of a failure; empty if it has none. */
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
      // 57P01 and 57P02 end the session: they may arrive after the commit and before its reply.
      case "57" ->
          state.equals("57014") || state.equals("57P03") ? Outcome.RETRYABLE : Outcome.UNKNOWN;
      case "08", "XX" -> Outcome.UNKNOWN;
      // Invalid data, violated constraints, missing privileges, a trigger of the user that raises
      // an error.
      default -> Outcome.REFUSED;
    };
  }

  /**
   * Returns whether a row was inserted into the default partition while its own partition was being
   * created or was about to be. The next attempt finds that partition. No other error of this kind
   * names a table but no constraint.
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

  /** Returns whether the failure is about the connection and not about the request. */
  public static boolean isOfConnection(Throwable failure) {
    return !fromServer(failure) || state(failure).startsWith("08");
  }

  /**
   * Returns whether the connection should not be used again even if it still works, because its
   * address may lead to another server now.
   */
  static boolean isNotPrimary(Throwable failure) {
    return NOT_PRIMARY.contains(state(failure));
  }

  private static String advice(Outcome outcome, String state) {
    return switch (outcome) {
      case REFUSED ->
          state.equals("42501")
              ? "Nothing was changed: grant the missing privilege to the role, see"
                  + " docs/database.md."
              : "Nothing was changed, and the same request will be refused again.";
      case RETRYABLE ->
          state.equals("57014")
              ? "It took longer than the statement timeout, perhaps waiting for another transaction"
                  + " to end. Nothing was changed; try again."
              : "Nothing was changed; try again.";
      case UNKNOWN ->
          "The connection broke before the reply arrived, so the request may have been carried out;"
              + " only a repeatable request may be sent again.";
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

  /** Returns the message of the database. */
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

  /**
   * Returns the innermost SQL exception, which comes from the driver; the outer ones come from
   * pools and batches.
   */
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
