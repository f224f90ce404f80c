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
 * Carries signals by LISTEN and NOTIFY, among all processes that use the same schema.
 *
 * <p>It keeps one connection to listen on, which is read and otherwise left in peace; what it sends
 * goes through the pool. Listeners of this process hear its signals at once, and not a second time
 * when they come back from the database.
 */
public final class PostgresCoordinator implements ClusterCoordinator {
  private static final Logger log = LoggerFactory.getLogger(PostgresCoordinator.class);

  /** How long closing waits for signals that have not been sent. */
  private static final Duration FAREWELL = Duration.ofSeconds(2);

  private final List<Subscription> subscriptions = new CopyOnWriteArrayList<>();
  private final NodeNames names = new NodeNames();
  private final NotifySender announcer;
  private final Listener listener;
  private final Thread announcing;
  private final Thread listening;

  /**
   * Start at once.
   *
   * @param listenOn gives the connection to listen on, straight to the database: a pooler between
   *     them that shares connections would swallow everything
   * @param sendThrough what signals are sent through
   */
  public PostgresCoordinator(DataSource listenOn, Database sendThrough) {
    this(listenOn, sendThrough, SelfCheck.Patience.DEFAULT);
  }

  PostgresCoordinator(DataSource listenOn, Database sendThrough, SelfCheck.Patience patience) {
    Channel channel = Channel.of(sendThrough.schema());
    String name = Channel.sender();
    this.announcer = new NotifySender(sendThrough, channel, name, names);
    this.listener =
        new Listener(listenOn, channel, name, patience, announcer::ping, this::received, names);
    this.announcing = Thread.ofPlatform().daemon().name("holdfast-announce").start(announcer);
    this.listening = Thread.ofPlatform().daemon().name("holdfast-listen").start(listener);
  }

  /**
   * Who hears signals.
   *
   * @param name the node that it belongs to, as the thread that subscribed said
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
    announcer.announce(signal);
  }

  /** Deliver what came from the database, each time in the name of the node that hears it. */
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

  /** Whether it hears what it says; if not, every node finds its work by polling. */
  public boolean isWorking() {
    return listener.isWorking();
  }

  @Override
  public void close() {
    announcer.close();
    listener.close();
    try {
      announcing.join(FAREWELL);
      announcing.interrupt();
      listening.join(FAREWELL);
    } catch (InterruptedException hurry) {
      Thread.currentThread().interrupt();
    }
    subscriptions.clear();
  }
}
