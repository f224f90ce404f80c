package dev.holdfast.engine.live;

import dev.holdfast.api.StoreException;
import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.role.Waker;
import dev.holdfast.engine.store.Claims;
import dev.holdfast.engine.store.Held;
import dev.holdfast.engine.time.Moment;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives back jobs of claims whose answer was lost. The Heart finds them and must not wait for it.
 * What fails is found again by the next beat.
 */
public final class Strays implements Role {
  private static final Logger log = LoggerFactory.getLogger(Strays.class);

  private final Claims claims;
  private volatile Waker waker = () -> {};
  private @Nullable Found found;

  private record Found(Tenure tenure, List<Held> jobs) {}

  public Strays(Claims claims) {
    this.claims = claims;
  }

  /** Who to wake when there is something to give back. */
  public void wokenBy(Waker driver) {
    this.waker = driver;
  }

  @Override
  public String name() {
    return "strays";
  }

  /** Give these back soon; they are all that a beat of this tenure found. */
  void giveBack(Tenure tenure, List<Held> jobs) {
    synchronized (this) {
      found = new Found(tenure, jobs);
    }
    waker.wake();
  }

  private synchronized @Nullable Found take() {
    Found taken = found;
    found = null;
    return taken;
  }

  @Override
  public Moment tick(Moment now) {
    Found due = take();
    if (due != null && !due.tenure.isOver()) {
      try {
        Set<Held> given = claims.giveBack(due.tenure.incarnation(), due.jobs);
        log.warn("{} jobs of claims whose answer was lost went back, unspent", given.size());
      } catch (StoreException failure) {
        log.warn(
            "{} jobs of claims whose answer was lost could not be given back yet: {}",
            due.jobs.size(),
            failure.getMessage());
      }
    }
    return Moment.NEVER;
  }
}
