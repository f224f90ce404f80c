package dev.holdfast.engine.query;

import dev.holdfast.api.job.JobId;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Jobs that a client somewhere in the cluster awaits. Bounded: the oldest entry is dropped first,
 * and its client learns of the end by polling.
 */
public final class AwaitedJobs {
  private static final int MOST = 10_000;

  private final Set<JobId> ids = new LinkedHashSet<>();
  private volatile boolean any;

  public synchronized void add(JobId id) {
    if (ids.size() >= MOST) {
      var oldest = ids.iterator();
      oldest.next();
      oldest.remove();
    }
    ids.add(id);
    any = true;
  }

  /** Removes a job and returns whether it was awaited. Costs nothing while no job is awaited. */
  public boolean remove(JobId id) {
    if (!any) {
      return false;
    }
    synchronized (this) {
      boolean known = ids.remove(id);
      any = !ids.isEmpty();
      return known;
    }
  }
}
