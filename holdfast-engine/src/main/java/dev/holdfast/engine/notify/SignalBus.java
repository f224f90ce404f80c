package dev.holdfast.engine.notify;

import dev.holdfast.api.workflow.RunId;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The signals of one node or client: delivers to its own listeners, and to the rest of the cluster
 * through the coordinator.
 */
public final class SignalBus implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(SignalBus.class);

  /**
   * How long a role sleeps at most while signals of other processes are not received, by default.
   */
  public static final Duration UNHEARD = Duration.ofSeconds(1);

  private final ClusterCoordinator cluster;
  private final Duration unheard;
  private final Runnable subscription;
  private final List<Listener> listeners = new CopyOnWriteArrayList<>();
  private final Watches watches = new Watches(System::nanoTime);

  /** The bus that is publishing on this thread, so that it recognises its own signals. */
  private static final ThreadLocal<@Nullable SignalBus> PUBLISHING = new ThreadLocal<>();

  /** Receives signals. */
  @FunctionalInterface
  public interface Listener {
    /**
     * Receives a signal.
     *
     * @param own whether it was published here; then other nodes may not know of it yet
     */
    void hear(Signal signal, boolean own);
  }

  public SignalBus(ClusterCoordinator cluster) {
    this(cluster, UNHEARD);
  }

  /**
   * Creates a bus.
   *
   * @param unheard how long a role sleeps at most while signals of other processes are not received
   */
  public SignalBus(ClusterCoordinator cluster, Duration unheard) {
    this.cluster = cluster;
    this.unheard = unheard;
    this.subscription = cluster.onSignal(this::deliver);
  }

  /**
   * Sends a signal to all listeners in the cluster; those in this process receive it through the
   * coordinator, at once.
   */
  public void publish(Signal signal) {
    SignalBus outer = PUBLISHING.get();
    PUBLISHING.set(this);
    try {
      cluster.announce(signal);
    } catch (RuntimeException failure) {
      log.warn(
          "Signal {} could not be sent; other nodes find its work by polling", signal, failure);
    } finally {
      PUBLISHING.set(outer);
    }
  }

  /** Tells clients that a run has changed, if any of them watches it. */
  public void changed(RunId run) {
    if (watches.any()) {
      String topic = Signal.run(run);
      if (watches.tells(topic, true)) {
        publish(new Signal.Changed(topic));
      }
    }
  }

  /**
   * Tells clients that the jobs in queues have changed, if any of them watches. Called for each
   * job, so it announces at most ten changes a second: a client looks again a little later.
   */
  public void jobsChanged() {
    if (watches.tells(Signal.JOBS, false)) {
      publish(new Signal.Changed(Signal.JOBS));
    }
  }

  /** Returns whether signals of other processes are received at present. */
  public boolean hearsOthers() {
    return cluster.hearsOthers();
  }

  /**
   * Returns how long to sleep when there is nothing to do.
   *
   * @param usual the time if a signal would end the sleep
   */
  public Duration sleepAtMost(Duration usual) {
    return hearsOthers() || usual.compareTo(unheard) < 0 ? usual : unheard;
  }

  /** Sends a signal to the listeners of this node or client only. */
  public void publishHere(Signal signal) {
    deliver(signal);
  }

  /** Subscribes a listener; the returned action ends the subscription. */
  public Runnable subscribe(Consumer<Signal> listener) {
    return listen((signal, own) -> listener.accept(signal));
  }

  /**
   * Subscribes a listener that is told where signals come from; the returned action ends the
   * subscription.
   */
  public Runnable listen(Listener listener) {
    listeners.add(listener);
    return () -> listeners.remove(listener);
  }

  private void deliver(Signal signal) {
    if (signal instanceof Signal.Watched(String topic)) {
      watches.add(topic);
    }
    boolean own = PUBLISHING.get() == this;
    for (Listener listener : listeners) {
      try {
        listener.hear(signal, own);
      } catch (RuntimeException | Error failure) {
        log.warn("A listener failed on signal {}; its work is found by polling", signal, failure);
      }
    }
  }

  @Override
  public void close() {
    subscription.run();
    listeners.clear();
  }
}
