package dev.holdfast.bench.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.bench.harness.BenchException;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.util.Locale;

/**
 * A connection that is used for one request after the other. It does as little as possible, because
 * it shares the processors with the server that it measures.
 */
public final class HttpConnection implements AutoCloseable {
  private static final int PATIENCE_MILLIS = 60_000;
  private static final String LENGTH = "content-length:";

  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;

  public HttpConnection(URI server) throws IOException {
    socket = new Socket(server.getHost(), server.getPort());
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(PATIENCE_MILLIS);
    in = new BufferedInputStream(socket.getInputStream(), 16 * 1024);
    out = socket.getOutputStream();
  }

  /** Returns a request with JSON as it is sent. */
  public static byte[] request(String method, String path, String key, String body) {
    return request(
        "%s %s".formatted(method, path),
        key,
        "Content-Type: application/json",
        body.getBytes(UTF_8));
  }

  /**
   * Returns a request as it is sent.
   *
   * @param what the method and the path
   * @param headers the headers that describe the content, in lines
   */
  public static byte[] request(String what, String key, String headers, byte[] content) {
    byte[] head =
        """
        %s HTTP/1.1
        Host: bench
        Authorization: Bearer %s
        %s
        Content-Length: %d

        """
            .formatted(what, key, headers, content.length)
            .replace("\n", "\r\n")
            .getBytes(US_ASCII);
    byte[] all = new byte[head.length + content.length];
    System.arraycopy(head, 0, all, 0, head.length);
    System.arraycopy(content, 0, all, head.length, content.length);
    return all;
  }

  /** Sends a request and reads the response, which must be a success. */
  public String send(byte[] request) throws IOException {
    out.write(request);
    out.flush();
    String status = line();
    int length = status.startsWith("HTTP/1.1 204") ? 0 : -1;
    for (String header = line(); !header.isEmpty(); header = line()) {
      String lower = header.toLowerCase(Locale.ROOT);
      if (lower.startsWith(LENGTH)) {
        length = Integer.parseInt(lower.substring(LENGTH.length()).strip());
      }
    }
    if (length < 0) {
      throw new BenchException("A response has no length: " + status);
    }
    String body = new String(in.readNBytes(length), UTF_8);
    if (!status.startsWith("HTTP/1.1 2")) {
      throw new BenchException("A request failed: %s %s".formatted(status, body));
    }
    return body;
  }

  private String line() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream(64);
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        throw new BenchException("The server has closed the connection.");
      }
      if (next != '\r') {
        line.write(next);
      }
    }
    return line.toString(US_ASCII);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
