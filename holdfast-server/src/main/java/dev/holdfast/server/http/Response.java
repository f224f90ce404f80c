package dev.holdfast.server.http;

import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** What a handler returns. */
public sealed interface Response {

  /**
   * JSON.
   *
   * @param replay what a repeat with the same idempotency key returns; null for the same body.
   *     Never contains a secret
   */
  record Json(int status, JsonNode body, Map<String, String> headers, @Nullable JsonNode replay)
      implements Response {}

  /** A text of any type. */
  record Text(int status, String contentType, String body) implements Response {}

  /** A text of any length, in pieces that are made while the client takes them. */
  record Pieces(String contentType, Iterator<String> pieces) implements Response {}

  /** Nothing: 204. */
  record Nothing() implements Response {}

  /**
   * A problem, as RFC 9457 describes it.
   *
   * @param errors what is wrong with which fields; empty if that does not apply
   * @param retryAfter when to try again; null if that is not known or does not help
   */
  record Problem(Code code, String detail, List<FieldError> errors, @Nullable Duration retryAfter)
      implements Response {

    /** Returns a problem. */
    public static Problem of(Code code, String detail) {
      return new Problem(code, detail, List.of(), null);
    }

    /** Returns this problem with the time after which a repeat may succeed. */
    public Problem retryAfter(Duration time) {
      return new Problem(code, detail, errors, time);
    }
  }

  /**
   * What is wrong with a field.
   *
   * @param field its path, such as {@code options.priority}
   */
  record FieldError(String field, String message) {}

  /** Server-sent events. */
  record Stream(EventSource events) implements Response {}

  /** Returns JSON with status 200. */
  static Json ok(JsonNode body) {
    return new Json(200, body, Map.of(), null);
  }

  /** Returns JSON with status 201, or 200 if nothing was created. */
  static Json created(boolean created, JsonNode body) {
    return new Json(created ? 201 : 200, body, Map.of(), null);
  }
}
