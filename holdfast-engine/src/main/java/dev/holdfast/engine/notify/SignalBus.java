package dev.holdfast.engine.notify;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The signals of one node or client: its own listeners, and the way to the rest of the cluster. */
public final class SignalBus implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(SignalBus.class);

  /** How long a role sleeps at most while other processes are not heard, unless told otherwise. */
  public static final Duration UNHEARD = Duration.ofSeconds(1);

  private final ClusterCoordinator cluster;
  private final Duration unheard;
  private final Runnable subscription;
  private final List<Listener> listeners = new CopyOnWriteArrayList<>();

  /** The bus that publishes on this thread: what comes back to it meanwhile is its own signal. */
  private static final ThreadLocal<@Nullable SignalBus> PUBLISHING = new ThreadLocal<>();

  /** Hears signals. */
  @FunctionalInterface
  public interface Listener {
    /**
     * Hears a signal.
     *
     * @param own whether it was published here; then no other node may know of it yet
     */
    void hear(Signal signal, boolean own);
  }

  public SignalBus(ClusterCoordinator cluster) {
    this(cluster, UNHEARD);
  }

  /**
   * @param unheard how long a role sleeps at most while other processes are not heard
   */
  public SignalBus(ClusterCoordinator cluster, Duration unheard) {
    this.cluster = cluster;
    this.unheard = unheard;
    this.subscription = cluster.onSignal(this::deliver);
  }

  /**
   * Tell listeners everywhere; those in this process hear of it by way of the coordinator, at once.
   */
  public void publish(Signal signal) {
    SignalBus outer = PUBLISHING.get();
    PUBLISHING.set(this);
    try {
      cluster.announce(signal);
    } catch (RuntimeException failure) {
      log.warn("{} could not be announced; its work is found by polling", signal, failure);
    } finally {
      PUBLISHING.set(outer);
    }
  }

  /** Whether signals of other processes are heard at present. */
  public boolean hearsOthers() {
    return cluster.hearsOthers();
  }

  /**
   * How long to sleep when nothing is to be done.
   *
   * @param usual while a signal would end the sleep
   */
  public Duration sleepAtMost(Duration usual) {
    return hearsOthers() || usual.compareTo(unheard) < 0 ? usual : unheard;
  }

  /** Tell the listeners of this node or client only. */
  public void publishHere(Signal signal) {
    deliver(signal);
  }

  /** Listen; the answer ends it. */
  public Runnable subscribe(Consumer<Signal> listener) {
    return listen((signal, own) -> listener.accept(signal));
  }

  /** Listen, and hear where signals come from; the result ends it. */
  public Runnable listen(Listener listener) {
    listeners.add(listener);
    return () -> listeners.remove(listener);
  }

  private void deliver(Signal signal) {
    boolean own = PUBLISHING.get() == this;
    for (Listener listener : listeners) {
      try {
        listener.hear(signal, own);
      } catch (RuntimeException | Error failure) {
        log.warn("A listener failed on {}; its work is found by polling", signal, failure);
      }
    }
  }

  @Override
  public void close() {
    subscription.run();
    listeners.clear();
  }
}
