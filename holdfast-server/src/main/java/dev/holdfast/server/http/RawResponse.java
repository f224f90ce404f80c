package dev.holdfast.server.http;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A response as the web server is to write it. */
public final class RawResponse {
  private final int status;
  private final Map<String, String> headers;
  private final byte[] body;
  private final @Nullable EventSource events;

  RawResponse(int status, Map<String, String> headers, byte[] body, @Nullable EventSource events) {
    this.status = status;
    this.headers = headers;
    this.body = body;
    this.events = events;
  }

  /** Returns the status. */
  public int status() {
    return status;
  }

  /** Returns the headers. */
  public Map<String, String> headers() {
    return headers;
  }

  /** Returns the body; empty for none. */
  public byte[] body() {
    return body;
  }

  /** Returns the events that follow instead of a body; null for none. */
  public @Nullable EventSource events() {
    return events;
  }
}
