package dev.holdfast.engine.store;

import dev.holdfast.api.job.JobId;
import dev.holdfast.engine.store.TaskStore.Rule;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A request to claim jobs.
 *
 * @param incarnation the incarnation that claims; it must be registered and alive
 * @param claimNo the number of this call, unique within the incarnation and stored with each job,
 *     so that jobs whose reply was lost can be recognised
 * @param queue the queue to claim from
 * @param tasks the tasks to claim jobs of
 * @param start how many jobs to start at once: the first in rank order
 * @param prefetch how many more jobs to claim without starting them
 * @param limit the cluster-wide limit of this queue as the caller knows it; null for none. A store
 *     claims nothing if its own record differs, until the caller knows the new limit.
 * @param suspects which crash suspects may be among the jobs
 * @param stacks the stacks to claim jobs of, in addition to jobs without a stack; may be {@link
 *     Stacks#ALL}. A store may find jobs of a stack that has just appeared a moment later
 * @param alone the rule of the only task of this request as the caller knows it; null for a request
 *     for tasks without rules. A store skips a task that has a rule unless it is requested alone,
 *     and claims nothing if its own record of the limit differs.
 * @param without jobs to skip: this node cannot read them, but other nodes may be able to
 */
public record ClaimRequest(
    UUID incarnation,
    long claimNo,
    String queue,
    List<String> tasks,
    int start,
    int prefetch,
    @Nullable Integer limit,
    Suspects suspects,
    Set<String> stacks,
    @Nullable Rule alone,
    Set<JobId> without) {

  /**
   * Which crash suspects a claim may return.
   *
   * @param most the maximum number of crash suspects
   * @param lone whether the caller holds no crash suspect at present, so that one that must run as
   *     the only crash suspect may be claimed. A claim returns either that one or other crash
   *     suspects, and prefers that one.
   */
  public record Suspects(int most, boolean lone) {
    public static final Suspects NONE = new Suspects(0, false);
  }

  public ClaimRequest {
    without = Set.copyOf(without);
    tasks = List.copyOf(tasks);
    stacks = Set.copyOf(stacks);
    if (alone != null && tasks.size() != 1) {
      throw new IllegalArgumentException(
          "A request that carries a task rule must name exactly one task, but names: " + tasks);
    }
  }

  /** Creates a request for tasks without rules that skips no job. */
  public ClaimRequest(
      UUID incarnation,
      long claimNo,
      String queue,
      List<String> tasks,
      int start,
      int prefetch,
      @Nullable Integer limit,
      Suspects suspects,
      Set<String> stacks) {
    this(
        incarnation,
        claimNo,
        queue,
        tasks,
        start,
        prefetch,
        limit,
        suspects,
        stacks,
        null,
        Set.of());
  }

  /** Returns the maximum number of jobs to claim, started and prefetched. */
  public int wanted() {
    return start + prefetch;
  }
}
