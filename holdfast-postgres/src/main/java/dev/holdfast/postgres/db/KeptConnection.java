package dev.holdfast.postgres.db;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection that is kept for a single purpose and has one user at a time.
 *
 * <p>It is replaced when it breaks, when its user discards it, and when it gets old: if its address
 * has moved to another server, only a new connection leads there. The old connection is closed only
 * after the new one is open, because the server or an external pool may have no other to give. New
 * connections are opened on a separate thread, because some data sources block their callers for
 * longer than a user of this one can wait.
 */
public final class KeptConnection extends PlainDataSource implements AutoCloseable {
  /** How long a heartbeat waits for the reply of the server. */
  public static final Duration HEARTBEAT = Duration.ofSeconds(4);

  private static final Logger log = LoggerFactory.getLogger(KeptConnection.class);

  /**
   * The largest fraction by which a lifetime is shortened at random, so that nodes do not reconnect
   * at the same time.
   */
  private static final double JITTER = 0.2;

  /** How long to wait before trying again to replace an old connection that still works. */
  private static final Duration AGAIN = Duration.ofMinutes(1);

  private final String name;
  private final DataSource source;
  private final Duration patience;
  private final Duration lifetime;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private @Nullable Connection current;
  private @Nullable Connection next;
  private @Nullable Thread opening;
  private @Nullable SQLException failure;
  private long failures;
  private long expiresAt;
  private boolean inUse;
  private boolean unwanted;
  private boolean closed;

  /**
   * @param name the name of the thread that opens connections
   * @param patience how long to wait for a connection
   * @param lifetime the maximum time that a connection is used
   */
  public KeptConnection(String name, DataSource source, Duration patience, Duration lifetime) {
    this.name = name;
    this.source = source;
    this.patience = patience;
    this.lifetime = lifetime;
  }

  @Override
  public Connection getConnection() throws SQLException {
    long until = System.nanoTime() + patience.toNanos();
    lock.lock();
    try {
      long failuresBefore = failures;
      while (!closed) {
        Connection usable = inUse ? null : usable();
        if (usable != null) {
          inUse = true;
          return handedOut(usable);
        }
        if (!inUse && failures > failuresBefore) {
          throw new SQLException(failure);
        }
        if (!inUse) {
          open();
        }
        long left = until - System.nanoTime();
        if (left <= 0 || changed.awaitNanos(left) <= 0) {
          throw new SQLTransientConnectionException(
              "No connection was available within %d ms".formatted(patience.toMillis()), "08001");
        }
      }
      throw new SQLException("The store is closed", "08003");
    } catch (InterruptedException end) {
      Thread.currentThread().interrupt();
      throw new SQLException("Interrupted while waiting for a connection", "08001", end);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns the connection to use, or null if there is none. Returns the old one while another is
   * being opened.
   */
  private @Nullable Connection usable() {
    if (next != null) {
      if (current != null) {
        release(current);
      }
      adopt(next);
      next = null;
    }
    if (current != null && !SocketValidatedDataSource.isAlive(current)) {
      drop(current);
      current = null;
    }
    if (current != null && System.nanoTime() - expiresAt >= 0) {
      expiresAt = System.nanoTime() + AGAIN.toNanos();
      open();
    }
    return current;
  }

  private void adopt(Connection connection) {
    current = connection;
    double part = 1 - JITTER * ThreadLocalRandom.current().nextDouble();
    expiresAt = System.nanoTime() + (long) (lifetime.toNanos() * part);
  }

  private void open() {
    if (opening == null) {
      opening = Thread.ofPlatform().daemon().name(name).start(this::connect);
    }
  }

  private void connect() {
    Connection connection = null;
    SQLException broken = null;
    try {
      connection = source.getConnection();
    } catch (SQLException thrown) {
      broken = thrown;
    } catch (RuntimeException | Error thrown) {
      broken = new SQLException(thrown);
    }
    lock.lock();
    try {
      opening = null;
      if (connection == null) {
        failure = broken;
        failures++;
      } else if (closed) {
        release(connection);
      } else if (current == null) {
        adopt(connection);
      } else {
        next = connection;
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private Connection handedOut(Connection connection) {
    AtomicBoolean returned = new AtomicBoolean();
    return (Connection)
        Proxy.newProxyInstance(
            KeptConnection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("close")) {
                if (returned.compareAndSet(false, true)) {
                  takeBack(connection);
                }
                return null;
              }
              try {
                return method.invoke(connection, arguments);
              } catch (InvocationTargetException thrown) {
                throw thrown.getCause() == null ? thrown : thrown.getCause();
              }
            });
  }

  private void takeBack(Connection connection) {
    lock.lock();
    try {
      inUse = false;
      if (unwanted) {
        drop(connection);
        current = null;
      } else if (closed) {
        release(connection);
        current = null;
      }
      unwanted = false;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Closes the connection that is in use when it is returned, instead of keeping it. */
  void discard(Connection handedOut) {
    lock.lock();
    try {
      unwanted = inUse;
    } finally {
      lock.unlock();
    }
  }

  private void drop(Connection connection) {
    Discarding.discard(source, connection);
    release(connection);
  }

  private static void release(Connection connection) {
    try {
      connection.close();
    } catch (SQLException broken) {
      log.debug("A connection broke before it was closed", broken);
    }
  }

  /** Closes the connection, at once or when its current user returns it. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      if (opening != null) {
        opening.interrupt();
      }
      if (next != null) {
        release(next);
        next = null;
      }
      if (current != null && !inUse) {
        release(current);
        current = null;
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
