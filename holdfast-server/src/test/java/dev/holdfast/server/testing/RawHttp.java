package dev.holdfast.server.testing;

import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/** Sends bytes that no HTTP client would send. */
public final class RawHttp {
  private RawHttp() {}

  /**
   * A response.
   *
   * @param status 0 if the server closed the connection without one
   */
  public record Answer(int status, String text) {}

  public static Answer send(URI server, byte[] request) throws IOException {
    try (Socket socket = new Socket(server.getHost(), server.getPort())) {
      socket.setSoTimeout(60_000);
      OutputStream out = socket.getOutputStream();
      try {
        out.write(request);
        out.flush();
      } catch (SocketException closed) {
        // The server may refuse before it has read everything; its response may still be readable.
      }
      String text;
      try {
        text = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      } catch (SocketException reset) {
        text = "";
      }
      int status = text.startsWith("HTTP/1.1 ") ? Integer.parseInt(text.substring(9, 12)) : 0;
      return new Answer(status, text);
    }
  }
}
