package dev.holdfast.cli.connect;

import dev.holdfast.api.HoldfastException;
import dev.holdfast.cli.print.Closest;
import dev.holdfast.cli.print.Printable;
import java.util.Collection;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** A request that was refused, or that got no response. */
public final class ApiException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  private final ExitCode exitCode;
  private final transient @Nullable JsonNode problem;

  private ApiException(
      String message, ExitCode exitCode, @Nullable JsonNode problem, @Nullable Throwable cause) {
    super(message, cause);
    this.exitCode = exitCode;
    this.problem = problem;
  }

  /** Returns the exception for a problem that the API has returned. */
  static ApiException of(int status, JsonNode problem) {
    StringBuilder text = new StringBuilder(text(problem, "title", "The request failed"));
    String detail = text(problem, "detail", "");
    if (!detail.isEmpty()) {
      text.append(": ").append(detail.endsWith(".") ? detail : detail + ".");
    } else {
      text.append('.');
    }
    text.append(" [").append(text(problem, "code", String.valueOf(status))).append(']');
    JsonNode errors = problem.get("errors");
    if (errors != null && errors.size() > 1) {
      errors.forEach(error ->
          text.append("\n  %s %s".formatted(text(error, "field", ""), text(error, "message", ""))));
    }
    return new ApiException(text.toString(), ExitCode.ofStatus(status), problem, null);
  }

  private static String text(JsonNode from, String field, String otherwise) {
    JsonNode value = from.get(field);
    return value == null || value.isNull() ? otherwise : Printable.line(value.asString());
  }

  /** Returns the exception for a response that is not one of the API. */
  static ApiException status(int status, String message) {
    return new ApiException(message, ExitCode.ofStatus(status), null, null);
  }

  /** Returns the exception for a request that got no response. */
  static ApiException unavailable(String message, @Nullable Throwable cause) {
    return new ApiException(message, ExitCode.UNAVAILABLE, null, cause);
  }

  /** Returns the exception for a request that this command refuses before it is sent. */
  public static ApiException refused(ExitCode exitCode, String message) {
    return new ApiException(message, exitCode, null, null);
  }

  /**
   * Returns this exception; if it says that something does not exist, with the name that was
   * probably meant.
   *
   * @param given the name that was given
   * @param known reads the names that exist
   */
  public ApiException suggesting(String given, Supplier<? extends Collection<String>> known) {
    return exitCode != ExitCode.NOT_FOUND
        ? this
        : Closest.to(given, known.get())
            .map(meant -> refused(exitCode, "%s Did you mean '%s'?".formatted(getMessage(), meant)))
            .orElse(this);
  }

  public ExitCode exitCode() {
    return exitCode;
  }

  /** Returns the problem as the API has described it; null if it has not. */
  public @Nullable JsonNode problem() {
    return problem;
  }
}
