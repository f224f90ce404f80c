package dev.holdfast.postgres;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** The network between a program and its database, which can fail in several ways. */
final class FaultProxy implements AutoCloseable {
  private final int target;
  private final ServerSocket door;
  private final Set<Link> links = ConcurrentHashMap.newKeySet();
  private final AtomicInteger accepted = new AtomicInteger();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition resumed = lock.newCondition();
  private boolean stalled;
  private volatile boolean refusing;

  /** One connection. Bytes sent on a dead connection are dropped. */
  private static final class Link {
    final Socket client;
    final Socket server;
    volatile boolean dead;

    Link(Socket client, Socket server) {
      this.client = client;
      this.server = server;
    }

    void close() {
      shut(client);
      shut(server);
    }
  }

  FaultProxy(int target) {
    this.target = target;
    try {
      this.door = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    Thread.ofVirtual().name("proxy").start(this::accept);
  }

  /** Returns the URL of a database through this proxy. */
  String through(String jdbcUrl) {
    return jdbcUrl.replaceFirst("//[^/]*/", "//127.0.0.1:%d/".formatted(door.getLocalPort()));
  }

  int port() {
    return door.getLocalPort();
  }

  /** Returns the number of connections that were opened so far. */
  int accepted() {
    return accepted.get();
  }

  int open() {
    return links.size();
  }

  /** Delays everything until {@link #resume}. Nothing is lost. */
  void stall() {
    lock.lock();
    try {
      stalled = true;
    } finally {
      lock.unlock();
    }
  }

  void resume() {
    lock.lock();
    try {
      stalled = false;
      resumed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Delays everything for this time. */
  void stallFor(Duration time) throws InterruptedException {
    stall();
    Thread.sleep(time);
    resume();
  }

  /** Silently drops everything that is sent on existing connections. New connections work. */
  void forgetConnections() {
    links.forEach(link -> link.dead = true);
  }

  /** Closes all connections and rejects new ones until {@link #heal}. */
  void cut() {
    refusing = true;
    links.forEach(Link::close);
  }

  void heal() {
    refusing = false;
  }

  private void accept() {
    while (!door.isClosed()) {
      try {
        Socket client = door.accept();
        if (refusing) {
          shut(client);
          continue;
        }
        accepted.incrementAndGet();
        Thread.ofVirtual().name("proxy").start(() -> connect(client));
      } catch (IOException closed) {
        // The proxy was closed, or a client left before it was accepted.
      }
    }
  }

  private void connect(Socket client) {
    try {
      Link link = new Link(client, new Socket(InetAddress.getLoopbackAddress(), target));
      links.add(link);
      if (refusing) {
        link.close();
      }
      Thread.ofVirtual().name("proxy").start(() -> pass(link, link.client, link.server));
      Thread.ofVirtual().name("proxy").start(() -> pass(link, link.server, link.client));
    } catch (IOException away) {
      shut(client);
    }
  }

  private void pass(Link link, Socket from, Socket to) {
    byte[] buffer = new byte[16 * 1024];
    try (InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream()) {
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        awaitResumed();
        if (!link.dead) {
          out.write(buffer, 0, read);
          out.flush();
        }
      }
    } catch (IOException broken) {
      // One side has closed the connection; the other is closed next.
    } finally {
      links.remove(link);
      link.close();
    }
  }

  private void awaitResumed() {
    lock.lock();
    try {
      while (stalled) {
        resumed.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  private static void shut(Socket socket) {
    try {
      socket.close();
    } catch (IOException broken) {
      // Nothing more can be done to close it.
    }
  }

  @Override
  public void close() throws IOException {
    door.close();
    resume();
    cut();
  }
}
