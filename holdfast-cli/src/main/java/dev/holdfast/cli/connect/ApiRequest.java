package dev.holdfast.cli.connect;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A request of the API.
 *
 * @param path the encoded path, with its query
 * @param body null for none
 * @param creates whether it is sent with an Idempotency-Key
 * @param repeatable whether it may be sent again if its reply is lost
 */
public record ApiRequest(
    String method, String path, @Nullable JsonNode body, boolean creates, boolean repeatable) {

  public static ApiRequest get(String path) {
    return new ApiRequest("GET", path, null, false, true);
  }

  /** Returns a request that creates something; a repeat of it creates nothing. */
  public static ApiRequest create(String path, JsonNode body) {
    return new ApiRequest("POST", path, body, true, true);
  }

  /**
   * Returns a request that creates something that has no id: a server that dies in the middle may
   * have created it, and a repeat would create another.
   */
  public static ApiRequest createOnce(String path, @Nullable JsonNode body) {
    return new ApiRequest("POST", path, body, true, false);
  }

  /** Returns a request that changes something. */
  public static ApiRequest change(String method, String path, @Nullable JsonNode body) {
    return new ApiRequest(method, path, body, false, false);
  }
}
