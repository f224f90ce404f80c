package dev.holdfast.postgres.wake;

import dev.holdfast.engine.wake.Signal;
import dev.holdfast.postgres.wake.SignalText.Received;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens on a connection of its own, and makes a new one when that breaks or falls silent.
 *
 * <p>It blocks in reading the socket and runs no statement but LISTEN. Whenever it begins to hear
 * it reports {@link Signal.Missed}, since others may have spoken before.
 */
final class Listener implements Runnable {
  private static final Logger log = LoggerFactory.getLogger(Listener.class);
  private static final Duration FIRST_RETRY = Duration.ofMillis(500);
  private static final Duration LAST_RETRY = Duration.ofSeconds(30);

  private final DataSource source;
  private final Channel channel;
  private final String self;
  private final SelfCheck.Patience patience;
  private final LongConsumer ping;
  private final Consumer<Signal> deliver;
  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile @Nullable Connection current;
  private volatile boolean working;
  private boolean warned;
  private long pings;

  Listener(
      DataSource source,
      Channel channel,
      String self,
      SelfCheck.Patience patience,
      LongConsumer ping,
      Consumer<Signal> deliver) {
    this.source = source;
    this.channel = channel;
    this.self = self;
    this.patience = patience;
    this.ping = ping;
    this.deliver = deliver;
  }

  boolean isWorking() {
    return working;
  }

  /** End, even in the middle of reading. */
  void close() {
    closed.countDown();
    Connection connection = current;
    if (connection != null) {
      try {
        connection.abort(Runnable::run);
      } catch (SQLException broken) {
        log.debug("The listening connection was broken already", broken);
      }
    }
  }

  @Override
  public void run() {
    Duration retry = FIRST_RETRY;
    while (!isClosed()) {
      boolean worked = false;
      try {
        worked = listenUntilSilent();
        lost(
            "it does not hear its own signals. If there is a pooler between this node and the"
                + " database, give Holdfast a URL that goes past it");
      } catch (SQLException | RuntimeException failure) {
        worked = working;
        lost(String.valueOf(failure.getMessage()));
      }
      retry = worked ? FIRST_RETRY : min(retry.multipliedBy(2), LAST_RETRY);
      pause(retry);
    }
  }

  /** Listen until a ping does not come back; say whether any did. */
  private boolean listenUntilSilent() throws SQLException {
    Connection connection = source.getConnection();
    try {
      current = connection;
      if (isClosed()) {
        return false;
      }
      connection.setAutoCommit(true);
      try (Statement statement = connection.createStatement()) {
        statement.execute(channel.listen());
      }
      deliver.accept(new Signal.Missed());
      return read(connection.unwrap(PGConnection.class));
    } finally {
      current = null;
      end(connection);
    }
  }

  /**
   * Close it for good: given back to a pool it would go on listening, for somebody who does not
   * care. Not by a statement, which nobody may answer.
   */
  private static void end(Connection connection) {
    try {
      connection.abort(Runnable::run);
      connection.close();
    } catch (SQLException gone) {
      log.debug("The listening connection was broken already", gone);
    }
  }

  private boolean read(PGConnection connection) throws SQLException {
    SelfCheck check = new SelfCheck(patience, System.nanoTime());
    boolean heard = false;
    while (true) {
      switch (check.advise(System.nanoTime())) {
        case GIVE_UP -> {
          return heard;
        }
        case PING -> ping.accept(++pings);
        case WAIT -> {}
      }
      long wait = check.quiet(System.nanoTime()).toMillis() + 1;
      PGNotification[] notifications = connection.getNotifications((int) wait);
      if (notifications != null && notifications.length > 0) {
        heard = true;
        check.heard(System.nanoTime());
        works();
        for (PGNotification notification : notifications) {
          receive(notification.getParameter());
        }
      }
    }
  }

  private void receive(String payload) {
    SignalText.split(payload)
        .filter(received -> !received.sender().equals(self) && !received.isPing())
        .map(Received::body)
        .flatMap(SignalText::read)
        .ifPresent(deliver);
  }

  private void works() {
    if (!working && warned) {
      log.info("Hearing other nodes again.");
    }
    working = true;
    warned = false;
  }

  private void lost(String why) {
    working = false;
    if (!warned && !isClosed()) {
      log.warn("This node does not hear others and finds work by polling only: {}.", why);
      warned = true;
    }
  }

  private boolean isClosed() {
    return closed.getCount() == 0;
  }

  private void pause(Duration time) {
    try {
      boolean unused = closed.await(time.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException end) {
      closed.countDown();
      Thread.currentThread().interrupt();
    }
  }

  private static Duration min(Duration one, Duration other) {
    return one.compareTo(other) <= 0 ? one : other;
  }
}
