package dev.holdfast.engine.store;

import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.WaitReason;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Finds, lists and counts jobs. */
public interface JobQueries {

  /**
   * Reads jobs in any state, in one step, so that a job that changes state meanwhile is not missed.
   */
  Map<JobId, Job> find(Collection<JobId> ids);

  /** Lists jobs by id, newest first, starting after the given one. */
  List<Job> list(JobFilter filter, @Nullable JobId before, int limit);

  /** Counts jobs by state; states without jobs may be missing. */
  Map<JobState, Long> count(JobFilter filter);

  /**
   * Counts the jobs that have not started, READY and SCHEDULED together.
   *
   * @param atMost where counting stops, so that a long queue need not be read to its end
   */
  long countQueued(long atMost);

  /** Returns why a job is not running. */
  Optional<WaitReason> whyWaiting(JobId id);

  /**
   * Counts READY jobs by task, of tasks for which no live node that serves their queue has a
   * handler. For each task and queue, counting stops at {@link QueueStore#MOST_COUNTED}.
   */
  Map<String, Long> unknownTasks();
}
