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

/** A pool of the caller's own, which others use as well. */
final class ExternalPool {
  /** How long a pool is asked for connections before it counts as too small. */
  static final Duration PATIENCE = Duration.ofSeconds(30);

  /**
   * How long a reply on the kept connection is waited for. Long, since the connection is lost
   * afterwards, and while handlers use up the pool there is no other; a heartbeat waits no longer
   * than its reply counts.
   */
  static final Duration HEART_SILENCE = Duration.ofSeconds(30);

  /** One to beat on, one to listen on, one to work with; a migration needs as many. */
  private static final int FEWEST = 3;

  private final DataSource source;

  ExternalPool(DataSource source) {
    this.source = source;
  }

  /**
   * One of its connections, taken when the first node registers and kept until the store is closed:
   * handlers that use up the pool must not keep a node from saying that it lives.
   */
  KeptConnection heart() {
    return Connections.heart(source);
  }

  /**
   * Refuse a pool that cannot give as many connections at once as are needed: the work would wait
   * for ever, or until it is found dead, for one that is kept.
   */
  void requireRoom(Duration patience) {
    AtomicInteger given = new AtomicInteger();
    CompletableFuture<Void> enough = new CompletableFuture<>();
    // On a thread of its own: some pools let callers wait without end.
    Thread asking =
        Thread.ofPlatform().daemon().name("holdfast-room").start(() -> take(given, enough));
    try {
      enough.get(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException late) {
      asking.interrupt();
      throw tooSmall(given.get(), late);
    } catch (ExecutionException failure) {
      // Whether the database can be reached at all is asked, and answered in words, by Migrations.
      if (given.get() > 0) {
        throw tooSmall(given.get(), failure.getCause());
      }
    } catch (InterruptedException end) {
      asking.interrupt();
      Thread.currentThread().interrupt();
      throw new StoreException(
          Outcome.RETRYABLE, "Interrupted while the data source was asked for connections.", end);
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
        // Its pool has it back, and knows.
      }
    }
    taken.clear();
  }

  private static StoreException tooSmall(int given, @Nullable Throwable cause) {
    return new StoreException(
        Outcome.REFUSED,
        "The given data source has %d connections to give at once, and Holdfast needs at least %d: one is kept for heartbeats, one to listen on. Let its pool have more. Nothing was written."
            .formatted(given, FEWEST),
        cause);
  }
}
