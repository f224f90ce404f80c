package dev.holdfast.bench.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FaultyProxyTest {
  private ServerSocket server;
  private FaultyProxy gate;
  private Socket guest;
  private Socket host;

  @BeforeEach
  void open() throws Exception {
    server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    gate = new FaultyProxy(server.getLocalPort());
    guest = new Socket(InetAddress.getLoopbackAddress(), gate.port());
    host = server.accept();
  }

  @AfterEach
  void close() throws IOException {
    guest.close();
    host.close();
    gate.close();
    server.close();
  }

  @Test
  void bytesPassInBothDirections() throws Exception {
    guest.getOutputStream().write(1);
    assertThat(host.getInputStream().read()).isEqualTo(1);

    host.getOutputStream().write(2);
    assertThat(guest.getInputStream().read()).isEqualTo(2);
  }

  @Test
  void bytesSentDuringASilentCutArriveWhenItIsHealed() throws Exception {
    gate.cutSilently();
    guest.getOutputStream().write(1);
    host.setSoTimeout(200);
    assertThatThrownBy(() -> host.getInputStream().read())
        .isInstanceOf(SocketTimeoutException.class);

    gate.heal();
    host.setSoTimeout(0);
    assertThat(host.getInputStream().read()).isEqualTo(1);
  }

  @Test
  void aHardCutClosesConnectionsAndRejectsNewOnes() throws Exception {
    gate.cutHard();

    assertThat(endOf(guest)).isTrue();
    try (Socket late = new Socket(InetAddress.getLoopbackAddress(), gate.port())) {
      assertThat(endOf(late)).isTrue();
    }
  }

  /** The server has accepted the connection before the proxy has registered it. */
  @Test
  void aHardCutClosesConnectionsThatAreBeingOpened() throws Exception {
    for (int i = 0; i < 500; i++) {
      gate.heal();
      try (Socket early = new Socket(InetAddress.getLoopbackAddress(), gate.port());
          Socket accepted = server.accept()) {
        gate.cutHard();
        assertThat(endOf(early)).isTrue();
        assertThat(endOf(accepted)).isTrue();
      }
    }
  }

  private static boolean endOf(Socket socket) {
    try {
      return socket.getInputStream().read() < 0;
    } catch (IOException reset) {
      return true;
    }
  }
}
