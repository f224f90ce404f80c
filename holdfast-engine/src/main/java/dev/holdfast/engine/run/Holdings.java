package dev.holdfast.engine.run;

import dev.holdfast.api.job.JobId;
import dev.holdfast.engine.role.Waker;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Everything this node holds, and the threads it could not stop. */
public final class Holdings {
  private final ConcurrentMap<JobId, Holding> byId = new ConcurrentHashMap<>();
  private final Set<Holding> runaways = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean suspected = new AtomicBoolean();
  private volatile Waker suspectGone = () -> {};
  private volatile Consumer<Holding> onAbandoned = runaway -> {};

  /**
   * Take the place of the one suspect that a node may have: a job with a crash on its record. If it
   * kills this process too, the others that die with it are not to blame.
   *
   * @return false if there is one
   */
  public boolean reserveSuspect() {
    return suspected.compareAndSet(false, true);
  }

  /**
   * Give the place of the suspect back unused. Nobody is woken: a claimer that finds nothing would
   * wake itself to look again at once, and never come to rest.
   */
  public void returnSuspect() {
    suspected.set(false);
  }

  private void releaseSuspect() {
    suspected.set(false);
    suspectGone.wake();
  }

  /** Who to wake when there is room for a suspect again. */
  public void onSuspectGone(Waker waker) {
    this.suspectGone = waker;
  }

  /** Who watches a holding that was given up while its code ran. */
  void onAbandoned(Consumer<Holding> watcher) {
    this.onAbandoned = watcher;
  }

  public void add(Holding holding) {
    byId.put(holding.job().id(), holding);
  }

  /** Let go of a holding, but not of a later one of the same job. */
  public void remove(Holding holding) {
    if (byId.remove(holding.job().id(), holding) && holding.isSuspect()) {
      releaseSuspect();
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
