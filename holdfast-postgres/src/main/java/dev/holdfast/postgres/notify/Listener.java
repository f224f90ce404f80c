package dev.holdfast.postgres.notify;

import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.notify.SignalText;
import dev.holdfast.postgres.db.SocketValidatedDataSource;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens on a dedicated connection, and opens a new one when that breaks, becomes silent or gets
 * old.
 *
 * <p>It blocks while reading the socket and runs no statement but LISTEN. Only a ping that comes
 * back shows that it receives signals: behind a pooler that shares connections, LISTEN succeeds as
 * well. Whenever it starts or stops receiving, it reports {@link Signal.SignalsMissed}: signals may
 * have been sent before, and roles that rely on wakeups must poll instead.
 */
final class Listener implements Runnable {
  private static final Logger log = LoggerFactory.getLogger(Listener.class);
  private static final Duration FIRST_RETRY = Duration.ofMillis(500);
  private static final Duration LAST_RETRY = Duration.ofSeconds(30);

  /**
   * The longest interval between retries if no ping came back. A pooler that hides notifications
   * rarely goes away, so retrying sooner would not help.
   */
  private static final Duration LAST_RETRY_UNHEARD = Duration.ofMinutes(10);

  /** The pause between two reads, so that a flood is read in batches. */
  private static final Duration BREATH = Duration.ofMillis(5);

  /**
   * The longest read of a pooled connection, which must not be aborted. It limits how long closing
   * takes.
   */
  private static final Duration SLICE = Duration.ofMillis(250);

  private static final double JITTER = 0.2;

  /** Sends a ping and reports whether it could be sent. */
  @FunctionalInterface
  interface Pinger {
    void ping(long number, Consumer<Boolean> outcome);
  }

  /**
   * The outcome of a ping.
   *
   * @param at a reading of the monotonic clock
   */
  private record PingOutcome(long number, boolean sent, long at) {}

  private final DataSource source;
  private final Channel channel;
  private final String self;
  private final SelfCheck.Patience patience;
  private final Pinger pinger;
  private final Consumer<Signal> deliver;
  private final NodeNames names;
  private final Inbox inbox = new Inbox();
  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile @Nullable ListeningConnection current;
  private volatile @Nullable PingOutcome outcome;
  private volatile boolean working;
  private boolean warned;
  private long pings;

  Listener(
      DataSource source,
      Channel channel,
      String self,
      SelfCheck.Patience patience,
      Pinger pinger,
      Consumer<Signal> deliver,
      NodeNames names) {
    this.source = source;
    this.channel = channel;
    this.self = self;
    this.patience = patience;
    this.pinger = pinger;
    this.deliver = deliver;
    this.names = names;
  }

  boolean isWorking() {
    return working;
  }

  /** Stops listening, even in the middle of a read. */
  void close() {
    closed.countDown();
    ListeningConnection connection = current;
    if (connection != null && !isPooled()) {
      connection.abort();
    }
  }

  /** Returns whether connections belong to a pool, where aborting one has side effects. */
  private boolean isPooled() {
    return !(source instanceof SocketValidatedDataSource);
  }

  @Override
  public void run() {
    Duration retry = FIRST_RETRY;
    while (!isClosed()) {
      boolean worked = false;
      Duration longest = LAST_RETRY;
      try {
        worked = listenUntilSilent();
        longest = LAST_RETRY_UNHEARD;
        lost(
            "it does not receive its own signals. If there is a pooler between this node and the"
                + " database, give Holdfast a URL that bypasses it");
      } catch (SQLException | RuntimeException failure) {
        worked = working;
        lost(String.valueOf(failure.getMessage()));
      } catch (Throwable broken) { // Nothing else would listen for the rest of the process.
        worked = working;
        names.speak(() ->
            log.error("Listening for signals of other nodes failed and is retried soon", broken));
        lost(broken.toString());
      }
      retry = worked ? FIRST_RETRY : min(retry.multipliedBy(2), longest);
      pause(retry);
    }
  }

  /** Listens until a ping does not come back. Returns whether any did. */
  private boolean listenUntilSilent() throws SQLException {
    ListeningConnection connection = open();
    try {
      while (true) {
        current = connection;
        SelfCheck check = new SelfCheck(patience, System.nanoTime());
        if (!read(connection, check)) {
          return check.isProven();
        }
        connection = renewed(connection);
      }
    } finally {
      current = null;
      connection.end();
    }
  }

  private ListeningConnection open() throws SQLException {
    ListeningConnection connection = new ListeningConnection(source, isPooled());
    try {
      connection.listen(channel);
      return connection;
    } catch (SQLException | RuntimeException | Error failure) {
      connection.discard();
      throw failure;
    }
  }

  /**
   * Returns a new connection, opened before the old one is closed, because no other may be
   * available.
   */
  private ListeningConnection renewed(ListeningConnection old) {
    try {
      ListeningConnection fresh = open();
      collect(old.await(Duration.ZERO)); // Signals that arrived before the new connection listened.
      old.end();
      return fresh;
    } catch (SQLException failure) {
      log.debug("The listening connection could not be replaced and is kept", failure);
      return old;
    }
  }

  /**
   * Reads what arrives.
   *
   * @return true if the connection must be replaced because of its age; false if it receives
   *     nothing or the listener is closed
   */
  private boolean read(ListeningConnection connection, SelfCheck check) throws SQLException {
    double part = 1 - JITTER * ThreadLocalRandom.current().nextDouble();
    long end = System.nanoTime() + (long) (patience.lifetime().toNanos() * part);
    while (!isClosed()) {
      long now = System.nanoTime();
      if (check.isProven() && now - end >= 0) {
        return true;
      }
      learnOfPing(check);
      switch (check.advise(now)) {
        case GIVE_UP -> {
          return false;
        }
        case PING -> ping();
        case ASK -> {
          connection.ask(patience.reply());
          check.replied(System.nanoTime());
        }
        case WAIT -> {}
      }
      inbox.take(now).forEach(deliver);
      PGNotification[] arrived = connection.await(untilNext(check));
      if (arrived.length > 0) {
        receive(arrived, check);
        pause(BREATH);
      }
    }
    return false;
  }

  private Duration untilNext(SelfCheck check) {
    long now = System.nanoTime();
    Duration quiet = inbox.quiet(now, check.quiet(now));
    return isPooled() ? min(quiet, SLICE) : quiet;
  }

  private void ping() {
    long number = ++pings;
    pinger.ping(number, sent -> outcome = new PingOutcome(number, sent, System.nanoTime()));
  }

  private void learnOfPing(SelfCheck check) {
    PingOutcome last = outcome;
    if (last == null || last.number() != pings) {
      return;
    }
    if (last.sent()) {
      check.sent(last.at());
    } else {
      check.unsent();
    }
  }

  private void receive(PGNotification[] arrived, SelfCheck check) {
    // A shared connection may still have notifications of an earlier listener.
    String ownPing = NotifyPayload.ping(self, pings);
    if (check.isProven()
        || Arrays.stream(arrived).anyMatch(one -> one.getParameter().equals(ownPing))) {
      check.heard(System.nanoTime());
      works();
    }
    collect(arrived);
    inbox.take(System.nanoTime()).forEach(deliver);
  }

  private void collect(PGNotification[] arrived) {
    for (PGNotification notification : arrived) {
      NotifyPayload.split(notification.getParameter())
          .filter(received -> !received.sender().equals(self) && !received.isPing())
          .map(NotifyPayload::text)
          .flatMap(SignalText::read)
          .ifPresent(inbox::add);
    }
  }

  private void works() {
    if (working) {
      return;
    }
    working = true;
    if (warned) {
      names.speak(() -> log.info("This node receives signals from other nodes again"));
    }
    warned = false;
    deliver.accept(new Signal.SignalsMissed());
  }

  private void lost(String why) {
    boolean worked = working;
    working = false;
    if (isClosed()) {
      return;
    }
    if (!warned) {
      names.speak(() ->
          log.warn(
              "This node does not receive signals from other nodes and finds work only by polling:"
                  + " {}.",
              why));
      warned = true;
    }
    if (worked) {
      deliver.accept(new Signal.SignalsMissed());
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
