package dev.holdfast.embedded;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.embedded.testing.SharedServer;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A program of another user listens on the port of an embedded server that has stopped. */
@Timeout(60)
class ForeignServerTest {
  private static final int SSL_REQUEST = 80_877_103;
  private static final int GSS_REQUEST = 80_877_104;
  private static final String PASSWORD = "the-secret-of-the-superuser";

  /** The authentication that the foreign server requests. */
  enum Request {
    CLEARTEXT_PASSWORD("00000003"),
    MD5_PASSWORD("0000000501020304"),
    NOTHING("00000000");

    private final String hex;

    Request(String hex) {
      this.hex = hex;
    }
  }

  @ParameterizedTest
  @EnumSource
  void aForeignServerGetsNoPasswordAndNoSession(Request request) throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      CompletableFuture<String> said =
          CompletableFuture.supplyAsync(() -> serve(socket, request), Threads.OWN);

      assertThatThrownBy(() ->
              DriverManager.getConnection(
                  Login.url(socket.getLocalPort(), "postgres"), Login.SUPERUSER, PASSWORD))
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("requireAuth");

      assertThat(said.get(30, TimeUnit.SECONDS)).contains("user").doesNotContain(PASSWORD, "md5");
    }
  }

  @Test
  void everyAddressOfAServerRequiresScram() {
    EmbeddedPostgres server = SharedServer.server();

    assertThat(server.jdbcUrl()).endsWith("?requireAuth=scram-sha-256");
    assertThat(server.jdbcUrl("orders")).endsWith("/orders?requireAuth=scram-sha-256");
  }

  /** Returns everything that the client sends after the request for its password. */
  private static String serve(ServerSocket server, Request request) {
    try (Socket client = server.accept()) {
      DataInputStream in = new DataInputStream(client.getInputStream());
      DataOutputStream out = new DataOutputStream(client.getOutputStream());
      byte[] startup = startup(in, out);
      out.writeByte('R');
      byte[] message = HexFormat.of().parseHex(request.hex);
      out.writeInt(4 + message.length);
      out.write(message);
      if (request == Request.NOTHING) {
        out.write(new byte[] {'Z', 0, 0, 0, 5, 'I'}); // Ready for queries.
      }
      out.flush();
      ByteArrayOutputStream said = new ByteArrayOutputStream();
      said.write(startup);
      listen(client, in, said);
      return said.toString(ISO_8859_1);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Reads until the client disconnects, or a timeout if it waits for more. */
  private static void listen(Socket client, DataInputStream in, ByteArrayOutputStream said)
      throws IOException {
    client.setSoTimeout(2_000);
    try {
      in.transferTo(said);
    } catch (SocketTimeoutException silent) {
      // The client waits for a reply.
    }
  }

  /** Declines encryption, and returns the startup message of the client. */
  private static byte[] startup(DataInputStream in, DataOutputStream out) throws IOException {
    while (true) {
      int length = in.readInt();
      int code = in.readInt();
      byte[] rest = in.readNBytes(length - 8);
      if (code != SSL_REQUEST && code != GSS_REQUEST) {
        return rest;
      }
      out.writeByte('N');
      out.flush();
    }
  }
}
