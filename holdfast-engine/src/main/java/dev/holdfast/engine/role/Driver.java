package dev.holdfast.engine.role;

import dev.holdfast.engine.time.Ticker;
import java.util.concurrent.CountDownLatch;

/** Drives roles: by threads in production, by an event queue in simulation. */
public interface Driver {

  /** What drives one role. */
  interface Driven extends Waker {
    /** Begin to tick. */
    void start();

    /** Asks it to stop after the tick in progress, and does not wait for that. */
    void stop();

    /** Whether no tick is in progress and none will follow: it was stopped, or never started. */
    boolean hasEnded();
  }

  /**
   * Be ready to drive a role.
   *
   * @param entering what is to be done first wherever the role is ticked
   */
  Driven drive(Role role, Runnable entering);

  /** Keeps the process alive until this happens, where the roles run in a process. */
  default void keepAlive(CountDownLatch until) {}

  /**
   * Be ready to drive a role of which a node may have thousands: those may share threads.
   *
   * @param entering what is to be done first wherever the role is ticked
   */
  default Driven driveShared(Role role, Runnable entering) {
    return drive(role, entering);
  }

  /**
   * Runs code that may block once, away from the roles.
   *
   * @param name what the code does, for the name of its thread
   */
  default void run(String name, Runnable body) {
    Thread.ofPlatform().daemon().name("holdfast-" + name).start(body);
  }

  /**
   * A platform thread for each role, and a few for those that share: handlers that hog the virtual
   * ones must not starve them.
   *
   * @param ticker the clock that roles are ticked by
   */
  static Driver threads(Ticker ticker) {
    RolePool shared = new RolePool(ticker);
    return new Driver() {
      @Override
      public Driven drive(Role role, Runnable entering) {
        var threads = Thread.ofPlatform().daemon().name("holdfast-" + role.name()).factory();
        return new RoleThread(
            role,
            ticker,
            loop ->
                threads.newThread(() -> {
                  entering.run();
                  loop.run();
                }));
      }

      @Override
      public Driven driveShared(Role role, Runnable entering) {
        return shared.drive(role, entering);
      }

      // One thread for this alone: a role's own may be waiting for the database when the node has
      // to stop, and would keep the process from ending.
      @Override
      public void keepAlive(CountDownLatch until) {
        Thread.ofPlatform()
            .daemon(false)
            .name("holdfast-keep-alive")
            .start(() -> awaitIgnoringInterrupts(until));
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
