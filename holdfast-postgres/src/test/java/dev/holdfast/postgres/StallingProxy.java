package dev.holdfast.postgres;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/** A proxy in front of a server that can stall: no connection breaks, and nothing arrives. */
final class StallingProxy implements AutoCloseable {
  private final int target;
  private final ServerSocket door;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private volatile CountDownLatch open = new CountDownLatch(0);

  StallingProxy(int target) throws IOException {
    this.target = target;
    this.door = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::acceptClients);
  }

  int port() {
    return door.getLocalPort();
  }

  /** Stops passing bytes. */
  void stall() {
    open = new CountDownLatch(1);
  }

  /** Passes bytes again, starting with those sent meanwhile. */
  void resume() {
    open.countDown();
  }

  private void acceptClients() {
    while (!door.isClosed()) {
      try {
        Socket guest = door.accept();
        Socket host = new Socket(InetAddress.getLoopbackAddress(), target);
        sockets.add(guest);
        sockets.add(host);
        Thread.ofVirtual().start(() -> pass(guest, host));
        Thread.ofVirtual().start(() -> pass(host, guest));
      } catch (IOException closed) {
        // The proxy was closed, or a client disconnected before it was accepted.
      }
    }
  }

  private void pass(Socket from, Socket to) {
    byte[] buffer = new byte[16 * 1024];
    try (from;
        to;
        InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream()) {
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        open.await();
        out.write(buffer, 0, read);
      }
    } catch (IOException | InterruptedException broken) {
      // One side has closed the connection; the other is closed next.
    }
  }

  @Override
  public void close() throws IOException {
    door.close();
    resume();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
