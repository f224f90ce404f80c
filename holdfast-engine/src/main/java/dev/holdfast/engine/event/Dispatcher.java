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

/** Hands events from a bounded queue to listeners, one after the other. */
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
  private volatile Waker waker = () -> {};

  Dispatcher(List<LifecycleListener> listeners, int capacity, Meters meters, Ticker ticker) {
    this.listeners = List.copyOf(listeners);
    this.waiting = new ArrayBlockingQueue<>(capacity);
    this.meters = meters;
    this.ticker = ticker;
    this.nextDropWarning = new AtomicLong(ticker.now().nanos());
    this.nextFailureWarning = ticker.now();
  }

  void wokenBy(Waker driver) {
    this.waker = driver;
  }

  @Override
  public String name() {
    return "dispatcher";
  }

  /** Take an event in, or drop it: who calls must never wait for a listener. */
  void offer(LifecycleEvent event) {
    if (waiting.offer(event)) {
      waker.wake();
    } else {
      meters.eventsDropped(1);
      dropped.incrementAndGet();
      warnOfDrops();
    }
  }

  /** By whoever met the full queue: the thread of the listeners may be stuck in one of them. */
  private void warnOfDrops() {
    Moment now = ticker.now();
    long next = nextDropWarning.get();
    long later = now.plus(BETWEEN_WARNINGS).nanos();
    if (now.nanos() >= next && nextDropWarning.compareAndSet(next, later)) {
      log.warn(
          "Listeners are too slow: {} lifecycle events were dropped lately. Jobs are not affected;"
              + " let listeners hand long work to a thread of their own",
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
    } catch (Throwable failure) { // Checked ones too: other languages throw them undeclared.
      if (!now.isBefore(nextFailureWarning)) {
        nextFailureWarning = now.plus(BETWEEN_WARNINGS);
        log.warn("A listener threw on {}; for a minute others are not logged", event, failure);
      }
    }
  }

  boolean isIdle() {
    return waiting.isEmpty();
  }
}
