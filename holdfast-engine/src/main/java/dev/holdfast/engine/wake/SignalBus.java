package dev.holdfast.engine.wake;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
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
  private final List<Consumer<Signal>> listeners = new CopyOnWriteArrayList<>();

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
    try {
      cluster.announce(signal);
    } catch (RuntimeException failure) {
      log.warn("{} could not be announced; its work is found by polling", signal, failure);
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
    listeners.add(listener);
    return () -> listeners.remove(listener);
  }

  private void deliver(Signal signal) {
    for (Consumer<Signal> listener : listeners) {
      try {
        listener.accept(signal);
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
