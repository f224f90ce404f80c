package dev.holdfast.engine.event;

import dev.holdfast.api.event.LifecycleEvent;
import dev.holdfast.api.event.LifecycleListener;
import dev.holdfast.engine.meter.Meters;
import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.role.Waker;
import dev.holdfast.engine.time.Moment;
import dev.holdfast.engine.time.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Delivers events from a bounded queue to listeners, one after the other. */
final class Dispatcher implements Role {
  private static final Logger log = LoggerFactory.getLogger(Dispatcher.class);
  private static final int BATCH = 1_000;
  private static final Duration BETWEEN_WARNINGS = Duration.ofMinutes(1);

  private final List<LifecycleListener> listeners;
  private final ArrayBlockingQueue<LifecycleEvent> waiting;
  private final Meters meters;
  private final Ticker ticker;
  private final AtomicLong dropped = new AtomicLong();
  private final AtomicLong nextDropWarning;
  private Moment nextFailureWarning;
  private final Waker waker;

  Dispatcher(
      List<LifecycleListener> listeners, int capacity, Meters meters, Ticker ticker, Waker waker) {
    this.listeners = List.copyOf(listeners);
    this.waiting = new ArrayBlockingQueue<>(capacity);
    this.meters = meters;
    this.ticker = ticker;
    this.nextDropWarning = new AtomicLong(ticker.now().nanos());
    this.nextFailureWarning = ticker.now();
    this.waker = waker;
  }

  @Override
  public String name() {
    return "dispatcher";
  }

  /** Adds an event, or drops it if the queue is full: the caller must never wait for a listener. */
  void offer(LifecycleEvent event) {
    if (waiting.offer(event)) {
      waker.wake();
    } else {
      meters.eventsDropped(1);
      dropped.incrementAndGet();
      warnOfDrops();
    }
  }

  /**
   * Logged by the thread that found the queue full: the dispatcher thread may be stuck in a
   * listener.
   */
  private void warnOfDrops() {
    Moment now = ticker.now();
    long next = nextDropWarning.get();
    long later = now.plus(BETWEEN_WARNINGS).nanos();
    if (now.nanos() >= next && nextDropWarning.compareAndSet(next, later)) {
      log.warn(
          "Listeners are too slow: {} lifecycle events were dropped recently. Jobs are not"
              + " affected; let listeners do slow work on a separate thread",
          dropped.getAndSet(0));
    }
  }

  @Override
  public Moment tick(Moment now) {
    for (int i = 0; i < BATCH; i++) {
      LifecycleEvent event = waiting.poll();
      if (event == null) {
        return Moment.NEVER;
      }
      for (LifecycleListener listener : listeners) {
        tell(listener, event, now);
      }
    }
    return now;
  }

  private void tell(LifecycleListener listener, LifecycleEvent event, Moment now) {
    try {
      listener.on(event);
    } catch (
        Throwable failure) { // Checked exceptions too: other JVM languages throw them undeclared.
      if (!now.isBefore(nextFailureWarning)) {
        nextFailureWarning = now.plus(BETWEEN_WARNINGS);
        log.warn(
            "A listener threw on {}; further failures are not logged for a minute", event, failure);
      }
    }
  }

  boolean isIdle() {
    return waiting.isEmpty();
  }
}
