package dev.holdfast.postgres.wake;

import dev.holdfast.api.StoreException;
import dev.holdfast.engine.wake.Signal;
import dev.holdfast.postgres.db.Database;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends signals from a thread of its own: the first at once, and those that come within the next
 * ten milliseconds merged into one statement. A NOTIFY takes a lock that the whole database shares
 * until it has committed, so sending one for each signal would slow everybody down.
 */
final class Announcer implements Runnable {
  private static final Logger log = LoggerFactory.getLogger(Announcer.class);
  private static final Duration PAUSE = Duration.ofMillis(10);

  private final Database database;
  private final Channel channel;
  private final String sender;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition wanted = lock.newCondition();
  private final SignalBatch batch = new SignalBatch();
  private @Nullable String ping;
  private boolean closed;
  private boolean failing;

  Announcer(Database database, Channel channel, String sender) {
    this.database = database;
    this.channel = channel;
    this.sender = sender;
  }

  void announce(Signal signal) {
    lock.lock();
    try {
      if (!closed) {
        batch.add(signal);
        wanted.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  void ping(long number) {
    lock.lock();
    try {
      ping = SignalText.ping(sender, number);
      wanted.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Send what waits, and end. */
  void close() {
    lock.lock();
    try {
      closed = true;
      wanted.signal();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void run() {
    try {
      for (List<String> texts = take(); !texts.isEmpty(); texts = take()) {
        send(texts);
        TimeUnit.NANOSECONDS.sleep(PAUSE.toNanos());
      }
    } catch (InterruptedException end) {
      Thread.currentThread().interrupt();
    }
  }

  /** Wait for something to send; empty when there will be nothing more. */
  private List<String> take() throws InterruptedException {
    lock.lock();
    try {
      while (batch.isEmpty() && ping == null && !closed) {
        wanted.await();
      }
      List<String> texts = batch.drain(sender);
      if (ping != null) {
        texts.add(ping);
        ping = null;
      }
      return texts;
    } finally {
      lock.unlock();
    }
  }

  private void send(List<String> texts) {
    try {
      boolean sent = database.run(
          "notify other nodes",
          handle -> {
            try (PreparedStatement statement =
                database.prepare(handle.getConnection(), Channel.NOTIFY_AT_ONCE)) {
              statement.setString(1, channel.name());
              statement.setArray(2, handle.getConnection().createArrayOf("text", texts.toArray()));
              try (ResultSet rows = statement.executeQuery()) {
                return rows.next();
              }
            }
          });
      if (sent) {
        failing = false;
      } else {
        failed(
            "The server's queue of notifications is half full: look for a session that listens and"
                + " stays in a transaction.");
      }
    } catch (StoreException failure) {
      failed(failure.getMessage());
    }
  }

  private void failed(@Nullable String why) {
    if (!failing) {
      log.warn("Could not tell other nodes of new work; they find it by polling. {}", why);
    }
    failing = true;
  }
}
