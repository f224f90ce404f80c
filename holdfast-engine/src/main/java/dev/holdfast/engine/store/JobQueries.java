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

/** Looking at jobs. */
public interface JobQueries {

  /** Read jobs whatever their state, in one step, so that a job on the move is not missed. */
  Map<JobId, Job> find(Collection<JobId> ids);

  /** List jobs by id, newest first, from just before the given one on. */
  List<Job> list(JobFilter filter, @Nullable JobId before, int limit);

  /** Count jobs by state; states without jobs may be missing. */
  Map<JobState, Long> count(JobFilter filter);

  /** Say why a job is not running. */
  Optional<WaitReason> whyWaiting(JobId id);

  /**
   * READY jobs of tasks that no live node serving their queue knows, counted by task. Of a task in
   * a queue, counting stops at {@link QueueStore#MOST_COUNTED}.
   */
  Map<String, Long> unknownTasks();
}
