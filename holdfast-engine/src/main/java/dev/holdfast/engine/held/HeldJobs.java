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

/**
 * All jobs that this node holds, and the attempts that it abandoned while their threads still ran.
 */
public final class HeldJobs {
  private final ConcurrentMap<JobId, HeldJob> byId = new ConcurrentHashMap<>();
  private final Set<HeldJob> runaways = ConcurrentHashMap.newKeySet();
  private final SlowStart suspects;
  private final Ticker ticker;
  private volatile Waker suspectGone = () -> {};
  private volatile Consumer<HeldJob> onAbandoned = runaway -> {};

  /**
   * @param suspects limits how many crash suspects the node holds at the same time
   */
  public HeldJobs(SlowStart suspects, Ticker ticker) {
    this.suspects = suspects;
    this.ticker = ticker;
  }

  /** Returns the limit on crash suspects. */
  public SlowStart suspects() {
    return suspects;
  }

  /** Sets what to wake when there is room for a crash suspect again. */
  public void onSuspectGone(Waker waker) {
    this.suspectGone = waker;
  }

  /** Sets the callback for a held job that was abandoned while its code ran. */
  public void onAbandoned(Consumer<HeldJob> watcher) {
    this.onAbandoned = watcher;
  }

  /**
   * Adds a held job, unless a later claim of the same job is held: the reply to an earlier claim
   * may arrive after the node was fenced and has claimed the job again.
   *
   * @return whether it was added
   */
  public boolean add(HeldJob heldJob) {
    HeldJob latest =
        byId.merge(
            heldJob.job().id(),
            heldJob,
            (held, added) -> added.job().token() > held.job().token() ? added : held);
    if (latest != heldJob) {
      return false;
    }
    if (heldJob.isSuspect()) {
      suspects.claimed(
          heldJob.tenure().incarnation(), heldJob.claim(), heldJob.job().suspicion(), ticker.now());
    }
    return true;
  }

  /** Removes a held job, but not a later claim of the same job. */
  public void remove(HeldJob heldJob) {
    heldJob.releaseKeptSlot();
    if (byId.remove(heldJob.job().id(), heldJob)
        && heldJob.isSuspect()
        && suspects.gone(heldJob.claim())) {
      suspectGone.wake();
    }
  }

  /**
   * Abandons a held job, and remembers it while its thread still runs.
   *
   * @return whether its thread still runs
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

  /** Remembers an attempt that was abandoned while its thread did not respond to interruption. */
  public void addRunaway(HeldJob heldJob) {
    runaways.add(heldJob);
  }

  /** Returns whether a thread of an earlier attempt of this job still runs in this process. */
  public boolean isRunaway(JobId id) {
    if (runaways.isEmpty()) {
      return false;
    }
    runaways.removeIf(heldJob -> !heldJob.isRunning());
    return runaways.stream().anyMatch(heldJob -> heldJob.job().id().equals(id));
  }
}
