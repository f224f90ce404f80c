package dev.holdfast.engine.store;

import dev.holdfast.api.job.CancelResult;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.RequeueResult;
import dev.holdfast.api.job.RetryResult;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Changing one's mind about jobs. */
public interface JobControl {

  /** Cancel a job that has not started; ask for the cancellation of one that runs. */
  CancelResult cancel(JobId id);

  /**
   * Make a job READY that waits for its time or lies in the dead letter; ask the holder of one that
   * is held to give it back.
   */
  RequeueResult requeue(JobId id);

  /**
   * Move a job from the dead letter back to READY with a fresh budget; its token goes on growing.
   */
  RetryResult retry(JobId id);

  /**
   * One step of an operation on many dead-lettered jobs.
   *
   * @param jobs how many jobs it changed, by queue; fewer than the limit in all means that none is
   *     left
   * @param until jobs that were dead-lettered later are left alone. The next step of the same
   *     operation passes it on, so that jobs that fail again meanwhile do not keep it from ending
   */
  record Step(Map<String, Integer> jobs, Instant until) {
    /** How many jobs it changed in all. */
    public int count() {
      return jobs.values().stream().mapToInt(Integer::intValue).sum();
    }
  }

  /**
   * Move jobs of the filter from the dead-letter queue back to READY, at most the given number.
   * Jobs whose unique key is taken stay.
   *
   * @param until from the step before; null in the first step, which takes the store's clock
   */
  Step retryAll(JobFilter filter, @Nullable Instant until, int limit);

  /**
   * Delete jobs of the filter from the dead-letter queue, at most the given number.
   *
   * @param until from the step before; null in the first step, which takes the store's clock
   */
  Step purge(JobFilter filter, @Nullable Instant until, int limit);
}
