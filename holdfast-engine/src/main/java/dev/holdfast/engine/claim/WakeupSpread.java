package dev.holdfast.engine.claim;

import dev.holdfast.engine.notify.ClusterSize;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.role.Environment;
import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.role.Waker;
import dev.holdfast.engine.time.Moment;
import dev.holdfast.engine.time.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * Wakes the claimers of this node when other nodes announce new work: immediately, or a little
 * later if many nodes have received the same announcement (see {@link ClusterSize}). Further
 * announcements for a queue share a wakeup that is already delayed.
 */
public final class WakeupSpread implements Role {
  private final ClusterSize clusterSize;
  private final Consumer<String> claimers;
  private final Ticker ticker;
  private final RandomGenerator random;
  private final Map<String, Moment> later = new HashMap<>();
  private final Waker waker;

  /**
   * @param claimers wakes the claimers of a queue
   */
  public WakeupSpread(
      ClusterSize clusterSize, Consumer<String> claimers, Environment environment, Waker waker) {
    this.clusterSize = clusterSize;
    this.claimers = claimers;
    this.ticker = environment.ticker();
    this.random = environment.random();
    this.waker = waker;
  }

  @Override
  public String name() {
    return "wakeups";
  }

  /**
   * Handles an announcement of new work.
   *
   * @param own whether this node announced it: perhaps no other node has received it
   */
  public void hear(Signal.NewWork work, boolean own) {
    Duration delay =
        own
            ? Duration.ZERO
            : ClusterSize.delay(
                clusterSize.serving(work.queue()), work.jobs(), random.nextDouble());
    if (delay.isZero()) {
      claimers.accept(work.queue());
      return;
    }
    Moment at = ticker.now().plus(delay);
    boolean sooner;
    synchronized (this) {
      Moment known = later.get(work.queue());
      sooner = known == null || at.isBefore(known);
      if (sooner) {
        later.put(work.queue(), at);
      }
    }
    if (sooner) {
      waker.wake();
    }
  }

  @Override
  public Moment tick(Moment now) {
    List<String> due = new ArrayList<>();
    Moment next = Moment.NEVER;
    synchronized (this) {
      for (Map.Entry<String, Moment> entry : later.entrySet()) {
        if (now.isBefore(entry.getValue())) {
          next = next.earlier(entry.getValue());
        } else {
          due.add(entry.getKey());
        }
      }
      due.forEach(later::remove);
    }
    due.forEach(claimers);
    return next;
  }
}
