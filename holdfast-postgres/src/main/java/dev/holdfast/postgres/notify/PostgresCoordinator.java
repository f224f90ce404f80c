package dev.holdfast.postgres.notify;

import dev.holdfast.engine.notify.ClusterCoordinator;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.postgres.db.Database;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends signals with LISTEN and NOTIFY to all processes that use the same schema.
 *
 * <p>It keeps one connection to listen on, which is only read; signals are sent through the pool.
 * Listeners in this process receive its signals at once, and not a second time when they arrive
 * from the database.
 */
public final class PostgresCoordinator implements ClusterCoordinator {
  private static final Logger log = LoggerFactory.getLogger(PostgresCoordinator.class);

  /** How long closing waits for signals that have not been sent. */
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

  private final List<Subscription> subscriptions = new CopyOnWriteArrayList<>();
  private final NodeNames names = new NodeNames();
  private final NotifySender sender;
  private final Listener listener;
  private final Thread announcing;
  private final Thread listening;

  /**
   * Creates a coordinator and starts it.
   *
   * @param listenOn the source of the connection to listen on, directly to the database: a pooler
   *     that shares connections would lose all notifications
   * @param sendThrough the database to send signals through
   */
  public PostgresCoordinator(DataSource listenOn, Database sendThrough) {
    this(listenOn, sendThrough, SelfCheck.Patience.DEFAULT);
  }

  PostgresCoordinator(DataSource listenOn, Database sendThrough, SelfCheck.Patience patience) {
    Channel channel = Channel.of(sendThrough.schema());
    String name = Channel.sender();
    this.sender = new NotifySender(sendThrough, channel, name, names);
    this.listener =
        new Listener(listenOn, channel, name, patience, sender::ping, this::received, names);
    this.announcing = Thread.ofPlatform().daemon().name("holdfast-announce").start(sender);
    this.listening = Thread.ofPlatform().daemon().name("holdfast-listen").start(listener);
  }

  /**
   * A receiver of signals.
   *
   * @param name the node it belongs to, from the log context of the thread that subscribed
   */
  private record Subscription(Consumer<Signal> consumer, NodeNames.Name name) {
    void deliver(Signal signal) {
      try {
        consumer.accept(signal);
      } catch (RuntimeException | Error failure) {
        log.warn("A listener failed on {}; its work is found by polling", signal, failure);
      }
    }
  }

  @Override
  public void announce(Signal signal) {
    subscriptions.forEach(subscription -> subscription.deliver(signal));
    sender.announce(signal);
  }

  /** Delivers a signal from the database, with the log context of each node that receives it. */
  private void received(Signal signal) {
    for (Subscription subscription : subscriptions) {
      subscription.name().speak(() -> subscription.deliver(signal));
    }
  }

  @Override
  public Runnable onSignal(Consumer<Signal> consumer) {
    Subscription subscription = new Subscription(consumer, NodeNames.Name.current());
    subscriptions.add(subscription);
    names.add(subscription.name());
    return () -> {
      subscriptions.remove(subscription);
      names.remove(subscription.name());
    };
  }

  @Override
  public boolean hearsOthers() {
    return isWorking();
  }

  /** Returns whether it receives its own signals. If not, every node finds its work by polling. */
  public boolean isWorking() {
    return listener.isWorking();
  }

  @Override
  public void close() {
    sender.close();
    listener.close();
    try {
      announcing.join(CLOSE_TIMEOUT);
      announcing.interrupt();
      listening.join(CLOSE_TIMEOUT);
    } catch (InterruptedException hurry) {
      Thread.currentThread().interrupt();
    }
    subscriptions.clear();
  }
}
