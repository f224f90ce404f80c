package dev.holdfast.server.http;

import java.io.InputStream;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A request as the web server has read it.
 *
 * @param path the path as sent, still encoded
 * @param query the query as sent, still encoded; null for none
 * @param headers returns the value of a header; null if it was not sent
 * @param contentLength the declared length of the body; -1 if it was not declared
 * @param address where the request came from
 * @param secure whether it came over TLS
 */
public record RawRequest(
    String method,
    String path,
    @Nullable String query,
    Function<String, @Nullable String> headers,
    InputStream body,
    long contentLength,
    String address,
    boolean secure) {

  /** Returns the request as a proxy has received it. */
  RawRequest from(String client, boolean overTls) {
    return new RawRequest(method, path, query, headers, body, contentLength, client, overTls);
  }

  /** Returns the request with a body that is read in another way. */
  RawRequest with(InputStream other) {
    return new RawRequest(method, path, query, headers, other, contentLength, address, secure);
  }

  @Nullable String header(String name) {
    return headers.apply(name);
  }
}
