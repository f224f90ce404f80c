package dev.holdfast.bench.chaos;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The network between one node and the database: a proxy that forwards bytes until it is cut. A
 * silent cut is like a pulled cable: bytes sent meanwhile arrive when the network is healed. A hard
 * cut is like a rejecting firewall: connections break, and new ones are refused.
 */
final class FaultyProxy implements AutoCloseable {
  private static final int BUFFER = 16 * 1024;

  private final int target;
  private final ServerSocket door;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition healed = lock.newCondition();
  private boolean silent;
  private boolean refusing;

  FaultyProxy(int target) throws IOException {
    this.target = target;
    this.door = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().name("gate").start(this::welcome);
  }

  int port() {
    return door.getLocalPort();
  }

  void cutSilently() {
    lock.lock();
    try {
      silent = true;
    } finally {
      lock.unlock();
    }
  }

  void cutHard() {
    lock.lock();
    try {
      refusing = true;
      sockets.forEach(FaultyProxy::shut);
    } finally {
      lock.unlock();
    }
  }

  void heal() {
    lock.lock();
    try {
      refusing = false;
      silent = false;
      healed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void welcome() {
    while (!door.isClosed()) {
      try {
        Socket guest = door.accept();
        Thread.ofVirtual().name("gate").start(() -> connect(guest));
      } catch (IOException closed) {
        // Either the server socket was closed, or the client disconnected before accept.
      }
    }
  }

  private void connect(Socket guest) {
    awaitHealed();
    Socket host;
    try {
      host = new Socket(InetAddress.getLoopbackAddress(), target);
    } catch (IOException away) {
      // The database is down: the client notices because its connection is closed.
      shut(guest);
      return;
    }
    if (!admit(guest, host)) {
      shut(guest);
      shut(host);
      return;
    }
    Thread.ofVirtual().name("gate").start(() -> pass(guest, host));
    Thread.ofVirtual().name("gate").start(() -> pass(host, guest));
  }

  /** Registers a connection under the same lock as the check, so that no cut can miss it. */
  private boolean admit(Socket guest, Socket host) {
    lock.lock();
    try {
      if (refusing) {
        return false;
      }
      sockets.add(guest);
      sockets.add(host);
      return true;
    } finally {
      lock.unlock();
    }
  }

  private void pass(Socket from, Socket to) {
    byte[] buffer = new byte[BUFFER];
    try (InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream()) {
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        awaitHealed();
        out.write(buffer, 0, read);
      }
    } catch (IOException broken) {
      // One side has disconnected; the other side is closed below.
    } finally {
      awaitHealed();
      sockets.remove(from);
      sockets.remove(to);
      shut(from);
      shut(to);
    }
  }

  private void awaitHealed() {
    lock.lock();
    try {
      while (silent) {
        healed.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  private static void shut(Socket socket) {
    try {
      socket.close();
    } catch (IOException alreadyBroken) {
      // The socket is closed anyway.
    }
  }

  @Override
  public void close() throws IOException {
    door.close();
    heal();
    cutHard();
  }
}
