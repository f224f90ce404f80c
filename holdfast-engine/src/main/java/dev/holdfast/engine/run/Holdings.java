package dev.holdfast.engine.run;

import dev.holdfast.api.job.JobId;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/** Everything this node holds, and the threads it could not stop. */
public final class Holdings {
  private final ConcurrentMap<JobId, Holding> byId = new ConcurrentHashMap<>();
  private final Set<JobId> runaways = ConcurrentHashMap.newKeySet();

  public void add(Holding holding) {
    byId.put(holding.job().id(), holding);
  }

  /** Let go of a holding, but not of a later one of the same job. */
  public void remove(Holding holding) {
    byId.remove(holding.job().id(), holding);
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

  /** Remember a job whose attempt was given up while its thread ignored the interrupt. */
  void addRunaway(JobId id) {
    runaways.add(id);
  }

  void removeRunaway(JobId id) {
    runaways.remove(id);
  }

  /** Whether a thread of an earlier attempt of this job still runs in this process. */
  public boolean isRunaway(JobId id) {
    return !runaways.isEmpty() && runaways.contains(id);
  }
}
