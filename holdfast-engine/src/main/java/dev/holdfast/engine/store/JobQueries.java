package dev.holdfast.engine.store;

import dev.holdfast.api.Counts;
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

  /** The number of jobs or runs in one state at which counting stops. */
  int MOST_COUNTED = 10_000;

  /** Counts jobs by state, up to {@link #MOST_COUNTED}. */
  default Counts<JobState> count(JobFilter filter) {
    return count(filter, MOST_COUNTED);
  }

  /**
   * Counts jobs by state. Counting stops at a bound, except for {@linkplain #isTallied tallied}
   * states.
   *
   * @param most the maximum number in each state
   * @return the numbers, and the states of which there are more, or may be because the store looked
   *     only at some
   */
  Counts<JobState> count(JobFilter filter, int most);

  /**
   * Returns whether stores keep totals of the jobs in this state that match: any number is exact.
   */
  static boolean isTallied(JobFilter filter, JobState state) {
    return switch (state) {
      case SUCCEEDED, CANCELLED, EXPIRED ->
          filter.tag() == null && filter.createdAfter() == null && filter.createdBefore() == null;
      case SCHEDULED, READY, CLAIMED, RUNNING, WAITING, ON_HOLD, FAILED -> false;
    };
  }

  /** Returns why a job is not running. */
  Optional<WaitReason> whyWaiting(JobId id);

  /**
   * Counts READY jobs by task, of tasks for which no live node that serves their queue has a
   * handler. For each task and queue, counting stops at {@link QueueStore#MOST_COUNTED}.
   */
  Map<String, Long> unknownTasks();
}
