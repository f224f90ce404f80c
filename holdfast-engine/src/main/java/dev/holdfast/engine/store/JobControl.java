package dev.holdfast.engine.store;

import dev.holdfast.api.job.CancelResult;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.RequeueResult;
import dev.holdfast.api.job.RetryResult;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Cancels, requeues, retries and deletes jobs. */
public interface JobControl {

  /** Cancels a job that has not started; requests the cancellation of a job that runs. */
  CancelResult cancel(JobId id);

  /**
   * Makes a job READY that is scheduled, waiting or in the dead-letter queue; asks the node that
   * holds a claimed or running job to release it.
   */
  RequeueResult requeue(JobId id);

  /**
   * Moves a job from the dead-letter queue back to READY with its attempts reset; its token keeps
   * growing.
   */
  RetryResult retry(JobId id);

  /**
   * One step of an operation on many dead-lettered jobs.
   *
   * @param jobs how many jobs were changed, by queue; a total below the limit means that none is
   *     left
   * @param until jobs that were dead-lettered after this time are skipped. The next step of the
   *     same operation passes it on, so that jobs that fail again in the meantime do not keep the
   *     operation from ending
   */
  record Step(Map<String, Integer> jobs, Instant until) {
    /** Returns how many jobs this step changed in total. */
    public int count() {
      return jobs.values().stream().mapToInt(Integer::intValue).sum();
    }
  }

  /**
   * Moves jobs that match the filter from the dead-letter queue back to READY, at most the given
   * number. Jobs whose unique key is taken stay.
   *
   * @param until from the previous step; null in the first step, which uses the store's clock
   */
  Step retryAll(JobFilter filter, @Nullable Instant until, int limit);

  /**
   * Deletes jobs that match the filter from the dead-letter queue, at most the given number.
   *
   * @param until from the previous step; null in the first step, which uses the store's clock
   */
  Step purge(JobFilter filter, @Nullable Instant until, int limit);
}
