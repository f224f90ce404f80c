package dev.holdfast.postgres.notify;

import dev.holdfast.engine.notify.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Announces signals that a transaction could not announce itself, after several delays. The commit
 * of an external transaction is not reported to us, so one of them comes soon after it.
 */
public final class RepeatedNotifier implements AutoCloseable {
  private static final List<Duration> AFTER =
      List.of(Duration.ofMillis(50), Duration.ofSeconds(1), Duration.ofSeconds(10));

  private final Consumer<Signal> announce;
  private final List<DelayedNotifies> waves = AFTER.stream().map(DelayedNotifies::new).toList();
  private final ScheduledThreadPoolExecutor thread =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().daemon().name("holdfast-notify-again").factory());

  /**
   * @param announce receives the signals, on a separate thread
   */
  public RepeatedNotifier(Consumer<Signal> announce) {
    this.announce = announce;
  }

  /** Schedules the announcements of a signal. */
  synchronized void want(Signal signal) {
    long now = System.nanoTime();
    for (DelayedNotifies wave : waves) {
      if (wave.want(signal, now)) {
        callAfter(wave, wave.delay().toNanos());
      }
    }
  }

  private void callAfter(DelayedNotifies wave, long nanos) {
    if (!thread.isShutdown()) {
      var unused = thread.schedule(() -> call(wave), nanos, TimeUnit.NANOSECONDS);
    }
  }

  private void call(DelayedNotifies wave) {
    List<Signal> due = new ArrayList<>();
    synchronized (this) {
      long now = System.nanoTime();
      wave.takeDue(now, due::add);
      wave.next(now).ifPresent(nanos -> callAfter(wave, nanos));
    }
    due.forEach(announce);
  }

  @Override
  public synchronized void close() {
    thread.shutdownNow();
  }
}
