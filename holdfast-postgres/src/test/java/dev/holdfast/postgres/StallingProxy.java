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

/** A network in front of a server that can stall: nothing breaks, and nothing arrives. */
final class StallingProxy implements AutoCloseable {
  private final int target;
  private final ServerSocket door;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private volatile CountDownLatch open = new CountDownLatch(0);

  StallingProxy(int target) throws IOException {
    this.target = target;
    this.door = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::welcome);
  }

  int port() {
    return door.getLocalPort();
  }

  /** Lets nothing through from now on. */
  void stall() {
    open = new CountDownLatch(1);
  }

  /** Lets everything through again, and first what was sent meanwhile. */
  void resume() {
    open.countDown();
  }

  private void welcome() {
    while (!door.isClosed()) {
      try {
        Socket guest = door.accept();
        Socket host = new Socket(InetAddress.getLoopbackAddress(), target);
        sockets.add(guest);
        sockets.add(host);
        Thread.ofVirtual().start(() -> pass(guest, host));
        Thread.ofVirtual().start(() -> pass(host, guest));
      } catch (IOException closed) {
        // The door was closed, or one guest left before it was let in.
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
      // One side is gone, which the other is about to learn.
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
