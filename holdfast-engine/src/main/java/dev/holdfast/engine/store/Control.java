package dev.holdfast.engine.store;

import dev.holdfast.api.job.CancelAnswer;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.RequeueAnswer;
import dev.holdfast.api.job.RetryAnswer;
import java.util.Map;

/** Changing one's mind about jobs. */
public interface Control {

  /** Cancel a job that has not started; ask for the cancellation of one that runs. */
  CancelAnswer cancel(JobId id);

  /**
   * Make a job READY that waits for its time or lies in the dead letter; ask the holder of one that
   * is held to give it back.
   */
  RequeueAnswer requeue(JobId id);

  /**
   * Move a job from the dead letter back to READY with a fresh budget; its token goes on growing.
   */
  RetryAnswer retry(JobId id);

  /**
   * Move up to so many jobs of the filter from the dead letter back to READY. Jobs whose unique key
   * is taken stay.
   *
   * @return how many moved, by queue; fewer than the limit in all means that none is left
   */
  Map<String, Integer> retryAll(JobFilter filter, int limit);

  /** Delete up to so many jobs of the filter from the dead letter and say how many. */
  int purge(JobFilter filter, int limit);
}
