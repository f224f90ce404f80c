package dev.holdfast.postgres.notify;

import dev.holdfast.api.StoreException;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.postgres.db.Database;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends signals from a separate thread: the first at once, and those of the next ten milliseconds
 * merged into one statement. A NOTIFY takes a lock that the whole database shares until it has
 * committed, so one NOTIFY for each signal would slow down all other users of the database.
 */
final class NotifySender implements Runnable {
  private static final Logger log = LoggerFactory.getLogger(NotifySender.class);
  private static final Duration PAUSE = Duration.ofMillis(10);

  private final Database database;
  private final Channel channel;
  private final String sender;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition wanted = lock.newCondition();
  private final SignalBatch batch = new SignalBatch();
  private final NodeNames names;
  private @Nullable Ping ping;
  private boolean closed;
  private boolean failing;

  private record Ping(String text, Consumer<Boolean> outcome) {}

  /** The payloads of one statement. */
  private record Parcel(List<String> texts, Consumer<Boolean> outcome) {}

  NotifySender(Database database, Channel channel, String sender, NodeNames names) {
    this.database = database;
    this.channel = channel;
    this.sender = sender;
    this.names = names;
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

  /**
   * Sends a ping.
   *
   * @param outcome receives, on the sending thread, whether it was sent
   */
  void ping(long number, Consumer<Boolean> outcome) {
    lock.lock();
    try {
      ping = new Ping(NotifyPayload.ping(sender, number), outcome);
      wanted.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Sends what is pending and stops. */
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
      for (Parcel parcel = take(); !parcel.texts().isEmpty(); parcel = take()) {
        parcel.outcome().accept(send(parcel.texts()));
        TimeUnit.NANOSECONDS.sleep(PAUSE.toNanos());
      }
    } catch (InterruptedException end) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits for something to send. Returns an empty parcel when there will be nothing more. */
  private Parcel take() throws InterruptedException {
    lock.lock();
    try {
      while (batch.isEmpty() && ping == null && !closed) {
        wanted.await();
      }
      List<String> texts = batch.drain(sender);
      Consumer<Boolean> outcome = sent -> {};
      if (ping != null) {
        texts.add(ping.text());
        outcome = ping.outcome();
        ping = null;
      }
      return new Parcel(texts, outcome);
    } finally {
      lock.unlock();
    }
  }

  private boolean send(List<String> texts) {
    try {
      boolean sent =
          database.run(
              "notify other nodes",
              handle -> {
                try (PreparedStatement statement =
                    database.prepare(handle.getConnection(), Channel.NOTIFY_AT_ONCE)) {
                  statement.setString(1, channel.name());
                  statement.setArray(
                      2, handle.getConnection().createArrayOf("text", texts.toArray()));
                  try (ResultSet rows = statement.executeQuery()) {
                    return rows.next();
                  }
                }
              });
      if (sent) {
        failing = false;
        return true;
      }
      failed(() ->
          log.warn(
              "Could not notify other nodes of new work; they find it by polling. The notification"
                  + " queue of the server is half full: look for a session that listens and stays"
                  + " in a transaction."));
    } catch (StoreException failure) {
      failed(() ->
          log.warn(
              "Could not notify other nodes of new work; they find it by polling. {}",
              failure.getMessage()));
    } catch (Throwable broken) { // Nothing else would send for the rest of the process.
      failed(() ->
          log.error(
              "Could not notify other nodes of new work; they find it by polling. Sending"
                  + " continues with the next signal",
              broken));
    }
    return false;
  }

  /** Logs a failure once, until a signal could be sent again. */
  private void failed(Runnable line) {
    if (!failing) {
      names.speak(line);
    }
    failing = true;
  }
}
