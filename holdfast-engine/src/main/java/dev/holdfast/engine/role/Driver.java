package dev.holdfast.engine.role;

import dev.holdfast.engine.time.Ticker;

/** Drives roles: by threads in production, by an event queue in simulation. */
@FunctionalInterface
public interface Driver {

  /** What drives one role. */
  interface Driven extends Waker, AutoCloseable {
    /** Begin to tick. */
    void start();

    /** Stop and wait until the role's last tick is over. */
    @Override
    void close();
  }

  /**
   * Be ready to drive a role.
   *
   * @param entering what is to be done first wherever the role is ticked
   */
  Driven drive(Role role, Runnable entering);

  /**
   * Runs code that may block once, away from the roles.
   *
   * @param name what the code does, for the name of its thread
   */
  default void run(String name, Runnable body) {
    Thread.ofPlatform().daemon().name("holdfast-" + name).start(body);
  }

  /**
   * A platform thread for each role: handlers that hog the virtual ones must not starve them.
   *
   * @param ticker the clock that roles are ticked by
   */
  static Driver threads(Ticker ticker) {
    return (role, entering) -> {
      var threads = Thread.ofPlatform().daemon().name("holdfast-" + role.name()).factory();
      return new RoleThread(
          role,
          ticker,
          loop ->
              threads.newThread(() -> {
                entering.run();
                loop.run();
              }));
    };
  }
}
