package dev.holdfast.server.http;

import java.util.Collections;
import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A response as the web server is to write it. */
public final class RawResponse {
  private final int status;
  private final Map<String, String> headers;
  private final byte[] body;
  private final @Nullable EventSource events;
  private final Iterator<String> pieces;

  RawResponse(int status, Map<String, String> headers, byte[] body, @Nullable EventSource events) {
    this(status, headers, body, events, Collections.emptyIterator());
  }

  private RawResponse(
      int status,
      Map<String, String> headers,
      byte[] body,
      @Nullable EventSource events,
      Iterator<String> pieces) {
    this.status = status;
    this.headers = headers;
    this.body = body;
    this.events = events;
    this.pieces = pieces;
  }

  static RawResponse of(Map<String, String> headers, Iterator<String> pieces) {
    return new RawResponse(200, headers, new byte[0], null, pieces);
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

  /** Returns what follows the body, in pieces; empty for nothing. */
  public Iterator<String> pieces() {
    return pieces;
  }

  /** Returns the events that follow instead of a body; null for none. */
  public @Nullable EventSource events() {
    return events;
  }
}
