package dev.holdfast.engine.run;

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
public final class Holdings {
  private final ConcurrentMap<JobId, Holding> byId = new ConcurrentHashMap<>();
  private final Set<Holding> runaways = ConcurrentHashMap.newKeySet();
  private final SlowStart suspects;
  private final Ticker ticker;
  private volatile Waker suspectGone = () -> {};
  private volatile Consumer<Holding> onAbandoned = runaway -> {};

  /**
   * @param suspects how many crash suspects the node has at once
   */
  public Holdings(SlowStart suspects, Ticker ticker) {
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
  void onAbandoned(Consumer<Holding> watcher) {
    this.onAbandoned = watcher;
  }

  public void add(Holding holding) {
    byId.put(holding.job().id(), holding);
    if (holding.isSuspect()) {
      suspects.claimed(
          holding.tenure().incarnation(), holding.held(), holding.job().suspicion(), ticker.now());
    }
  }

  /** Let go of a holding, but not of a later one of the same job. */
  public void remove(Holding holding) {
    if (byId.remove(holding.job().id(), holding)
        && holding.isSuspect()
        && suspects.gone(holding.held())) {
      suspectGone.wake();
    }
  }

  /**
   * Give a holding up, and remember it while its thread goes on.
   *
   * @return whether it does
   */
  public boolean abandon(Holding holding) {
    boolean running = holding.abandon();
    if (running) {
      addRunaway(holding);
      onAbandoned.accept(holding);
    }
    remove(holding);
    return running;
  }

  public @Nullable Holding find(JobId id) {
    return byId.get(id);
  }

  public Collection<Holding> all() {
    return byId.values();
  }

  public int size() {
    return byId.size();
  }

  /** Remember an attempt that was given up while its thread ignored the interrupt. */
  void addRunaway(Holding holding) {
    runaways.add(holding);
  }

  /** Whether a thread of an earlier attempt of this job still runs in this process. */
  public boolean isRunaway(JobId id) {
    if (runaways.isEmpty()) {
      return false;
    }
    runaways.removeIf(holding -> !holding.isRunning());
    return runaways.stream().anyMatch(holding -> holding.job().id().equals(id));
  }
}
