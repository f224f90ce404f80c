package dev.holdfast.engine.held;

import dev.holdfast.api.job.JobId;
import dev.holdfast.engine.role.Waker;
import dev.holdfast.engine.time.Ticker;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Everything this node holds, and the threads it could not stop. */
public final class HeldJobs {
  private final ConcurrentMap<JobId, HeldJob> byId = new ConcurrentHashMap<>();
  private final Set<HeldJob> runaways = ConcurrentHashMap.newKeySet();
  private final SlowStart suspects;
  private final Ticker ticker;
  private volatile Waker suspectGone = () -> {};
  private volatile Consumer<HeldJob> onAbandoned = runaway -> {};

  /**
   * @param suspects how many crash suspects the node has at once
   */
  public HeldJobs(SlowStart suspects, Ticker ticker) {
    this.suspects = suspects;
    this.ticker = ticker;
  }

  /** How many crash suspects the node has at once. */
  public SlowStart suspects() {
    return suspects;
  }

  /** Who to wake when there is room for a crash suspect again. */
  public void onSuspectGone(Waker waker) {
    this.suspectGone = waker;
  }

  /** Who watches a holding that was given up while its code ran. */
  public void onAbandoned(Consumer<HeldJob> watcher) {
    this.onAbandoned = watcher;
  }

  public void add(HeldJob heldJob) {
    byId.put(heldJob.job().id(), heldJob);
    if (heldJob.isSuspect()) {
      suspects.claimed(
          heldJob.tenure().incarnation(), heldJob.claim(), heldJob.job().suspicion(), ticker.now());
    }
  }

  /** Let go of a holding, but not of a later one of the same job. */
  public void remove(HeldJob heldJob) {
    if (byId.remove(heldJob.job().id(), heldJob)
        && heldJob.isSuspect()
        && suspects.gone(heldJob.claim())) {
      suspectGone.wake();
    }
  }

  /**
   * Give a holding up, and remember it while its thread goes on.
   *
   * @return whether it does
   */
  public boolean abandon(HeldJob heldJob) {
    boolean running = heldJob.abandon();
    if (running) {
      addRunaway(heldJob);
      onAbandoned.accept(heldJob);
    }
    remove(heldJob);
    return running;
  }

  public @Nullable HeldJob find(JobId id) {
    return byId.get(id);
  }

  public Collection<HeldJob> all() {
    return byId.values();
  }

  public int size() {
    return byId.size();
  }

  /** Remember an attempt that was given up while its thread ignored the interrupt. */
  public void addRunaway(HeldJob heldJob) {
    runaways.add(heldJob);
  }

  /** Whether a thread of an earlier attempt of this job still runs in this process. */
  public boolean isRunaway(JobId id) {
    if (runaways.isEmpty()) {
      return false;
    }
    runaways.removeIf(heldJob -> !heldJob.isRunning());
    return runaways.stream().anyMatch(heldJob -> heldJob.job().id().equals(id));
  }
}
