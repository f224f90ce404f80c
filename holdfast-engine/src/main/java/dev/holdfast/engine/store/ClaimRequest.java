package dev.holdfast.engine.store;

import dev.holdfast.api.job.JobId;
import dev.holdfast.engine.store.TaskStore.Rule;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A wish to take hold of jobs.
 *
 * @param incarnation who asks; it must be registered and alive
 * @param claimNo the number of this call, unique within the incarnation and stored with each job,
 *     so that jobs whose answer was lost can be recognised
 * @param queue from which queue
 * @param tasks of which tasks
 * @param start how many to start at once, the first in order
 * @param prefetch how many more to hold without starting them
 * @param limit the cluster-wide limit of this queue as the caller knows it; null for none. A store
 *     refuses (claims nothing) where its own record says otherwise, until the caller has learnt of
 *     it.
 * @param suspects which of the jobs may be crash suspects
 * @param stacks of which stacks, besides jobs of none
 * @param alone the rule of the only task of this order as the caller knows it; null for an order of
 *     tasks without rules. A store leaves tasks out that have a rule unless they are ordered alone,
 *     and refuses where its own record of the limit says otherwise.
 * @param without jobs to leave alone: this node cannot read them, and others may
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
   * Which crash suspects a claim may bring.
   *
   * @param most how many at most
   * @param lone whether the caller has none at present, so that one that must be the only one may
   *     be claimed. A claim brings either that one or others, and that one first.
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
          "A task with a rule of its own is ordered alone, not with others: " + tasks);
    }
  }

  /** An order that leaves out no job. */
  public ClaimRequest(
      UUID incarnation,
      long claimNo,
      String queue,
      List<String> tasks,
      int start,
      int prefetch,
      @Nullable Integer limit,
      Suspects suspects,
      Set<String> stacks,
      @Nullable Rule alone) {
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
        alone,
        Set.of());
  }

  /** An order of tasks without rules. */
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
    this(incarnation, claimNo, queue, tasks, start, prefetch, limit, suspects, stacks, null);
  }

  /** How many jobs are wanted in all. */
  public int wanted() {
    return start + prefetch;
  }
}
