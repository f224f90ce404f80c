package dev.holdfast.testkit.workflow;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Interrupts handlers that run for too long in real time. Virtual time stands still while a handler
 * blocks the thread of the test, so nothing else would end it.
 */
final class RealTimeLimit {
  private static final ScheduledThreadPoolExecutor TIMER = timer();

  private Duration longest = Duration.ofSeconds(30);

  private static ScheduledThreadPoolExecutor timer() {
    ScheduledThreadPoolExecutor timer =
        new ScheduledThreadPoolExecutor(
            1,
            run -> {
              Thread thread = new Thread(run, "holdfast-tester-limit");
              thread.setDaemon(true);
              return thread;
            });
    timer.setRemoveOnCancelPolicy(true);
    timer.setKeepAliveTime(1, TimeUnit.SECONDS);
    timer.allowCoreThreadTimeOut(true);
    return timer;
  }

  void set(Duration limit) {
    this.longest = limit;
  }

  Duration longest() {
    return longest;
  }

  /** Starts to watch the calling thread, which must end the watch. */
  Watch watch() {
    Watch watch = new Watch(Thread.currentThread());
    watch.alarm = TIMER.schedule(watch::ring, longest.toNanos(), TimeUnit.NANOSECONDS);
    return watch;
  }

  /** Watches one thread. */
  static final class Watch {
    private final Thread watched;
    private volatile @Nullable Future<?> alarm;
    private boolean ended;
    private StackTraceElement @Nullable [] blockedAt;

    private Watch(Thread watched) {
      this.watched = watched;
    }

    private synchronized void ring() {
      if (!ended) {
        blockedAt = watched.getStackTrace();
        watched.interrupt();
      }
    }

    /**
     * Ends the watch. An interrupt that was not noticed stays until the node clears it.
     *
     * @return where the thread was when its time was over; empty if it was not
     */
    synchronized Optional<StackTraceElement[]> end() {
      ended = true;
      Future<?> set = alarm;
      if (set != null) {
        set.cancel(false);
      }
      return Optional.ofNullable(blockedAt);
    }
  }
}
