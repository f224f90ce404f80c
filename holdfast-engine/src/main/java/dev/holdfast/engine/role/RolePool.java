package dev.holdfast.engine.role;

import dev.holdfast.engine.time.Moment;
import dev.holdfast.engine.time.Ticker;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Drives roles of which a node may have thousands, on a few platform threads. A role that waits
 * uses no thread, and no role is ticked by two threads at once.
 */
final class RolePool {
  /**
   * Fewer than the default number of connections of a store, so that other roles always get one.
   */
  static final int MOST_THREADS = 8;

  private final Ticker ticker;
  private final int mostThreads;
  private final ThreadFactory threads;
  private @Nullable ScheduledThreadPoolExecutor executor;
  private int roles;

  RolePool(Ticker ticker) {
    this(ticker, "holdfast-claimers-", MOST_THREADS);
  }

  RolePool(Ticker ticker, String name, int mostThreads) {
    this.ticker = ticker;
    this.mostThreads = mostThreads;
    this.threads = Thread.ofPlatform().daemon().name(name, 1).factory();
  }

  <R extends Role> Driver.Driven<R> drive(R role, Runnable entering) {
    return new SharedRole<>(role, entering);
  }

  /** As many threads as there are roles, up to the maximum: below it, each role has a thread. */
  private synchronized ScheduledThreadPoolExecutor enter() {
    roles++;
    int size = Math.min(roles, mostThreads);
    ScheduledThreadPoolExecutor current = executor;
    if (current == null) {
      current = new ScheduledThreadPoolExecutor(size, threads);
      current.setRemoveOnCancelPolicy(true);
      executor = current;
    } else {
      current.setCorePoolSize(size);
    }
    return current;
  }

  /** The threads end with the last role. */
  private synchronized void leave() {
    roles--;
    if (roles == 0 && executor != null) {
      executor.shutdown();
      executor = null;
    }
  }

  private enum State {
    NEW,
    WAITING,
    TICKING,
    ENDED
  }

  private final class SharedRole<R extends Role> implements Driver.Driven<R> {
    private final R role;
    private final Runnable entering;
    private final AtomicBoolean woken = new AtomicBoolean();
    private volatile boolean stopping;
    private State state = State.NEW;
    private @Nullable ScheduledThreadPoolExecutor executor;
    private @Nullable Future<?> planned;
    private long plans;

    SharedRole(R role, Runnable entering) {
      this.role = role;
      this.entering = entering;
    }

    @Override
    public R role() {
      return role;
    }

    @Override
    public synchronized void start() {
      if (state == State.NEW) {
        state = State.WAITING;
        executor = enter();
        tickIn(0);
      }
    }

    @Override
    public void wake() {
      // Most calls find the flag set already; only the one that sets it pays for the lock.
      if (!woken.get() && woken.compareAndSet(false, true)) {
        synchronized (this) {
          if (state == State.WAITING) {
            tickIn(0);
          }
        }
      }
    }

    /**
     * Replaces the plan: an earlier one that is too late to cancel finds that it is not the last.
     */
    private void tickIn(long nanos) {
      if (planned != null) {
        planned.cancel(false);
      }
      long plan = ++plans;
      planned =
          executor == null || nanos == Long.MAX_VALUE
              ? null
              : executor.schedule(() -> tick(plan), nanos, TimeUnit.NANOSECONDS);
    }

    private void tick(long plan) {
      synchronized (this) {
        if (plan != plans || state != State.WAITING) {
          return;
        }
        state = State.TICKING;
      }
      woken.set(false);
      entering.run();
      Moment next = RoleThread.tick(role, ticker, () -> stopping);
      synchronized (this) {
        if (stopping) {
          end();
        } else {
          state = State.WAITING;
          tickIn(woken.get() ? 0 : nanosUntil(next));
        }
      }
    }

    private long nanosUntil(Moment next) {
      return next.equals(Moment.NEVER)
          ? Long.MAX_VALUE
          : Math.max(0, next.nanos() - ticker.now().nanos());
    }

    private void end() {
      state = State.ENDED;
      leave();
    }

    @Override
    public synchronized void stop() {
      stopping = true;
      switch (state) {
        case NEW -> state = State.ENDED;
        case WAITING -> {
          tickIn(Long.MAX_VALUE);
          end();
        }
        case TICKING, ENDED -> {}
      }
    }

    @Override
    public synchronized boolean hasEnded() {
      return state == State.ENDED || state == State.NEW;
    }
  }
}
