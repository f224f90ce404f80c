package dev.holdfast.server.javalin;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.jspecify.annotations.Nullable;

/**
 * Closes connections whose client takes too long to send a request or to read a response. The idle
 * timeout of the web server does not: a byte from time to time satisfies it.
 */
final class SlowConnections implements Connection.Listener {
  private final long patience;
  private final Map<Connection, Seen> connections = new ConcurrentHashMap<>();

  /** What is known about a connection. */
  private static final class Seen {
    private final long opened = System.nanoTime();
    private volatile boolean serves;
    private volatile boolean served;
    private volatile long bytesBefore;
    private volatile long writesSince;
    private long partialSince;
  }

  SlowConnections(Duration patience) {
    this.patience = patience.toNanos();
  }

  @Override
  public void onOpened(Connection connection) {
    if (!(connection instanceof SslConnection)) {
      connections.put(connection, new Seen());
    }
  }

  @Override
  public void onClosed(Connection connection) {
    connections.remove(connection);
  }

  int count() {
    return connections.size();
  }

  /** Notes that a request has arrived and is served. */
  void serves(@Nullable Connection connection) {
    Seen seen = connection == null ? null : connections.get(connection);
    if (seen != null) {
      seen.serves = true;
    }
  }

  /** Notes that a request was served: the next one starts with the next byte. */
  void served(@Nullable Connection connection) {
    Seen seen = connection == null ? null : connections.get(connection);
    if (seen != null && connection != null) {
      seen.writesSince = 0;
      seen.bytesBefore = connection.getBytesIn();
      seen.served = true;
      seen.serves = false;
    }
  }

  /** Notes that a write starts, or that it is over. */
  void writes(@Nullable Connection connection, boolean starts) {
    Seen seen = connection == null ? null : connections.get(connection);
    if (seen != null) {
      seen.writesSince = starts ? System.nanoTime() | 1 : 0;
    }
  }

  /** Closes what is too slow. Called from time to time, by one thread. */
  void sweep() {
    long now = System.nanoTime();
    connections.forEach((connection, seen) -> {
      if (isSlow(connection, seen, now)) {
        connection.getEndPoint().close();
      }
    });
  }

  private boolean isSlow(Connection connection, Seen seen, long now) {
    long writing = seen.writesSince;
    if (writing != 0) {
      return now - writing > patience;
    }
    if (seen.serves) {
      seen.partialSince = 0;
      return false;
    }
    if (!seen.served) {
      return now - seen.opened > patience;
    }
    if (connection.getBytesIn() <= seen.bytesBefore) {
      seen.partialSince = 0;
      return false;
    }
    if (seen.partialSince == 0) {
      seen.partialSince = now | 1;
    }
    return now - seen.partialSince > patience;
  }
}
