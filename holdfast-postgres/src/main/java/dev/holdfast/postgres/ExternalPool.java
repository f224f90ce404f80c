package dev.holdfast.postgres;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.StoreException.Outcome;
import dev.holdfast.postgres.db.KeptConnection;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A connection pool that the caller owns and that other code uses as well. */
final class ExternalPool {
  /** How long to wait for connections before the pool counts as too small. */
  static final Duration PATIENCE = Duration.ofSeconds(30);

  /**
   * How long to wait for a reply on the kept connection. After that the connection is given up, and
   * there is no other while handlers use up the pool, so the timeout is long. A heartbeat itself
   * waits only as long as its reply is useful.
   */
  static final Duration HEART_SILENCE = Duration.ofSeconds(30);

  /** One for heartbeats, one to listen on, one to work with. A migration needs three as well. */
  private static final int FEWEST = 3;

  private final DataSource source;

  ExternalPool(DataSource source) {
    this.source = source;
  }

  /**
   * Returns the connection for heartbeats. It is taken from the pool when the first node registers
   * and kept until the store is closed, so that handlers that use up the pool cannot stop the
   * heartbeats.
   */
  KeptConnection heart() {
    return Connections.heart(source);
  }

  /**
   * Rejects a pool that cannot provide enough connections at the same time. Otherwise the node
   * would wait for a connection that is never returned, forever or until it is declared dead.
   */
  void requireRoom(Duration patience) {
    AtomicInteger given = new AtomicInteger();
    CompletableFuture<Void> enough = new CompletableFuture<>();
    // On a separate thread, because some pools block callers without a timeout.
    Thread asking =
        Thread.ofPlatform().daemon().name("holdfast-room").start(() -> take(given, enough));
    try {
      enough.get(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException late) {
      asking.interrupt();
      throw tooSmall(given.get(), late);
    } catch (ExecutionException failure) {
      // Migrations checks whether the database can be reached at all and reports the error in full.
      if (given.get() > 0) {
        throw tooSmall(given.get(), failure.getCause());
      }
    } catch (InterruptedException end) {
      asking.interrupt();
      Thread.currentThread().interrupt();
      throw new StoreException(
          Outcome.RETRYABLE,
          "Interrupted while waiting for connections from the given data source.",
          end);
    }
  }

  private void take(AtomicInteger given, CompletableFuture<Void> enough) {
    List<Connection> taken = new ArrayList<>();
    try {
      while (taken.size() < FEWEST) {
        taken.add(source.getConnection());
        given.incrementAndGet();
      }
      giveBack(taken);
      enough.complete(null);
    } catch (SQLException | RuntimeException failure) {
      enough.completeExceptionally(failure);
      giveBack(taken);
    }
  }

  private static void giveBack(List<Connection> taken) {
    for (Connection connection : taken) {
      try {
        connection.close();
      } catch (SQLException broken) {
        // The pool has the connection back and handles the error.
      }
    }
    taken.clear();
  }

  private static StoreException tooSmall(int given, @Nullable Throwable cause) {
    return new StoreException(
        Outcome.REFUSED,
        "The given data source provides only %d connections at once, and Holdfast needs at least %d: it keeps one for heartbeats and one to listen on. Increase the size of the pool. Nothing was written."
            .formatted(given, FEWEST),
        cause);
  }
}
