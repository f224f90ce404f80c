package dev.holdfast.server.http;

/** Handles the calls of a route. */
@FunctionalInterface
public interface Handler {

  /**
   * Handles a call.
   *
   * @throws ProblemException if the call is refused
   */
  Response handle(Call call);
}
