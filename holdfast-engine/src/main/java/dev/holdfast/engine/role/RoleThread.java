package dev.holdfast.engine.role;

import dev.holdfast.api.internal.Times;
import dev.holdfast.engine.time.Moment;
import dev.holdfast.engine.time.Ticker;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drives one role on one thread. A tick that throws is logged and retried after a pause: a role
 * never ends because of an error, since its work would not be done any more.
 */
public final class RoleThread<R extends Role> implements Driver.Driven<R> {
  private static final Logger log = LoggerFactory.getLogger(RoleThread.class);
  private static final Duration AFTER_ERROR = Duration.ofSeconds(1);

  private final R role;
  private final Ticker ticker;
  private final Thread thread;
  private final AtomicBoolean woken = new AtomicBoolean();
  private volatile boolean stopping;

  /**
   * @param entering runs first on the thread
   */
  public RoleThread(R role, Ticker ticker, Runnable entering) {
    this.role = role;
    this.ticker = ticker;
    this.thread =
        Thread.ofPlatform()
            .daemon()
            .name("holdfast-" + role.name())
            .unstarted(() -> {
              entering.run();
              loop();
            });
  }

  @Override
  public R role() {
    return role;
  }

  @Override
  public void start() {
    thread.start();
  }

  @Override
  public void wake() {
    // Most calls find the flag set already; only the one that sets it pays for the unpark.
    if (!woken.get() && woken.compareAndSet(false, true)) {
      LockSupport.unpark(thread);
    }
  }

  private void loop() {
    while (!stopping) {
      woken.set(false);
      Moment next = tick(role, ticker, () -> stopping);
      sleepUntil(next);
    }
  }

  static Moment tick(Role role, Ticker ticker, BooleanSupplier stopping) {
    try {
      return role.tick(ticker.now());
    } catch (
        Throwable failure) { // Checked exceptions too: other JVM languages throw them undeclared.
      if (!stopping.getAsBoolean()) {
        log.error(
            "Role {} failed, retrying in {}", role.name(), Times.describe(AFTER_ERROR), failure);
      }
      return ticker.now().plus(AFTER_ERROR);
    }
  }

  private void sleepUntil(Moment next) {
    while (!stopping && !woken.get()) {
      long nanos = next.equals(Moment.NEVER) ? Long.MAX_VALUE : next.nanos() - ticker.now().nanos();
      if (nanos <= 0) {
        return;
      }
      LockSupport.parkNanos(this, nanos);
      if (Thread.interrupted() && stopping) {
        return;
      }
    }
  }

  @Override
  public void stop() {
    stopping = true;
    LockSupport.unpark(thread);
  }

  @Override
  public boolean hasEnded() {
    return !thread.isAlive();
  }
}
