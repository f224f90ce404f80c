package dev.holdfast.cli.connect;

import dev.holdfast.api.RunStateException;
import dev.holdfast.api.StoreException;
import dev.holdfast.api.UnknownRunException;
import dev.holdfast.api.UnknownWorkflowException;
import dev.holdfast.server.config.ConfigException;
import java.sql.SQLException;

/** The exit codes of the command. Scripts rely on them: their numbers never change. */
public enum ExitCode {
  /** The request was carried out. */
  DONE(0),
  /** Any other failure. */
  FAILED(1),
  /** The command line or a value in it is wrong. */
  USAGE(2),
  /** What the command names does not exist. */
  NOT_FOUND(3),
  /** The key is not valid, or may not do this. */
  REFUSED(4),
  /** The current state does not allow it. */
  CONFLICT(5),
  /** The server or the database cannot be reached now. */
  UNAVAILABLE(6),
  /** The run or job that the command waited for did not succeed. */
  RUN_FAILED(7);

  private final int number;

  ExitCode(int number) {
    this.number = number;
  }

  public int number() {
    return number;
  }

  /** Returns the exit code for an HTTP status. */
  static ExitCode ofStatus(int status) {
    return switch (status) {
      case 400, 413, 415, 422 -> USAGE;
      case 401, 403 -> REFUSED;
      case 404 -> NOT_FOUND;
      case 409 -> CONFLICT;
      case 429, 502, 503, 504 -> UNAVAILABLE;
      default -> FAILED;
    };
  }

  /** Returns the exit code for a failure. */
  public static ExitCode of(Exception failure) {
    return switch (failure) {
      case ApiException refused -> refused.exitCode();
      case UnknownRunException unknown -> NOT_FOUND;
      case UnknownWorkflowException unknown -> NOT_FOUND;
      case ConfigException wrong -> USAGE;
      case RunStateException state -> CONFLICT;
      case StoreException store ->
          store.outcome() == StoreException.Outcome.REFUSED ? FAILED : UNAVAILABLE;
      // Class 08 is about connections, 28 about logging in, 57P about servers that stop.
      case SQLException sql when sql.getSQLState() != null ->
          sql.getSQLState().startsWith("28")
              ? REFUSED
              : sql.getSQLState().matches("08.*|57P.*|53300") ? UNAVAILABLE : FAILED;
      default -> FAILED;
    };
  }
}
