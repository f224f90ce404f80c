package dev.holdfast.engine.query;

import dev.holdfast.api.job.JobId;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Jobs that somebody somewhere waits for. Bounded: the oldest wish is forgotten first, and whoever
 * made it finds out by polling.
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

  /** Forget a job and say whether it was awaited. Costs nothing while nobody awaits anything. */
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
