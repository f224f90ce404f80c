package dev.holdfast.engine.role;

import dev.holdfast.engine.time.Ticker;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;

/** Drives roles: by threads in production, by an event queue in simulation. */
public interface Driver {

  /** Drives one role. */
  interface Driven<R extends Role> extends Waker {
    /** Returns the role. */
    R role();

    /** Starts to tick. */
    void start();

    /** Requests a stop after the tick in progress, without waiting for it. */
    void stop();

    /**
     * Returns whether no tick is in progress and none will follow: it was stopped, or never
     * started.
     */
    boolean hasEnded();
  }

  /**
   * Creates a role and returns what drives it, not started yet.
   *
   * @param role creates the role with the waker that ticks it early
   * @param entering runs first on each thread that ticks the role
   */
  <R extends Role> Driven<R> drive(Function<Waker, R> role, Runnable entering);

  /** Returns whether a client may start jobs itself. Otherwise only roles start them. */
  default boolean startsAtOnce() {
    return true;
  }

  /** Keeps the process alive until the latch opens, if the roles run in a process. */
  default void keepAlive(CountDownLatch until) {}

  /**
   * Runs code once that may block, outside the threads of the roles.
   *
   * @param name what the code does, for the name of its thread
   */
  default void run(String name, Runnable body) {
    Thread.ofPlatform().daemon().name("holdfast-" + name).start(body);
  }

  /**
   * Returns a driver that uses a platform thread for each role, and a few threads for roles that
   * share: handlers that occupy all virtual threads must not starve them.
   *
   * @param ticker the clock that roles are ticked by
   */
  static Driver threads(Ticker ticker) {
    RolePool shared = new RolePool(ticker);
    return new Driver() {
      @Override
      public <R extends Role> Driven<R> drive(Function<Waker, R> create, Runnable entering) {
        LateWaker waker = new LateWaker();
        R role = create.apply(waker);
        Driven<R> driven =
            role.sharesThread()
                ? shared.drive(role, entering)
                : new RoleThread<>(role, ticker, entering);
        waker.wakes(driven);
        return driven;
      }

      // A thread for this alone: the thread of a role may be waiting for the database when the node
      // has to stop, and would keep the process from ending.
      @Override
      public void keepAlive(CountDownLatch until) {
        Thread.ofPlatform()
            .daemon(false)
            .name("holdfast-keep-alive")
            .start(() -> awaitIgnoringInterrupts(until));
      }
    };
  }

  /**
   * Returns a driver for roles of many nodes in one process, which share a number of platform
   * threads: a role that waits uses no thread.
   *
   * @param ticker the clock that roles are ticked by
   */
  static Driver pool(Ticker ticker, int threads) {
    RolePool shared = new RolePool(ticker, "holdfast-roles-", threads);
    return new Driver() {
      @Override
      public <R extends Role> Driven<R> drive(Function<Waker, R> create, Runnable entering) {
        LateWaker waker = new LateWaker();
        Driven<R> driven = shared.drive(create.apply(waker), entering);
        waker.wakes(driven);
        return driven;
      }
    };
  }

  private static void awaitIgnoringInterrupts(CountDownLatch until) {
    while (until.getCount() > 0) {
      try {
        until.await();
      } catch (InterruptedException ignored) {
        // Only the end of the node ends this thread.
      }
    }
  }
}
