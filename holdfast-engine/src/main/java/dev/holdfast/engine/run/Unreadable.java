package dev.holdfast.engine.run;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.job.FailedAttempt;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobId;
import dev.holdfast.engine.rule.CurrentModes;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.JobQueries;
import dev.holdfast.engine.store.NodeSnapshot;
import dev.holdfast.engine.store.NodeStore;
import dev.holdfast.engine.store.Stacks;
import dev.holdfast.engine.time.Moment;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Jobs whose payload or journal this node could not read while another node may be able to: during
 * a rolling deployment, producers of the new version write payloads that nodes of the old version
 * cannot read, and handlers of either version write journals that do not match the code of the
 * other. This node does not claim such a job again as long as there is a live node that serves it
 * and has not failed to read it. The failures stored with the job show which nodes have failed, so
 * that in the end its attempts are used up although each node avoids it.
 */
public final class Unreadable {
  private static final Logger log = LoggerFactory.getLogger(Unreadable.class);

  /** A node that could not read this many jobs of a task leaves the task to other nodes. */
  public static final int MOST_OF_TASK = 100;

  private static final Duration REVIEW = Duration.ofMinutes(1);

  private final String node;
  private final JobQueries lookup;
  private final NodeStore nodes;
  private final Map<JobId, Refused> refused = new ConcurrentHashMap<>();
  private volatile Moment nextReview = Moment.NEVER;

  /** The queue and task of a skipped job, which claims select by, and how it failed. */
  private record Refused(String queue, String task, String code) {}

  /**
   * Creates the list of unreadable jobs of a node.
   *
   * @param node the id of this node
   */
  public Unreadable(String node, JobQueries lookup, NodeStore nodes) {
    this.node = node;
    this.lookup = lookup;
    this.nodes = nodes;
  }

  /**
   * Leaves a job to the other nodes, if one of them may be able to read it.
   *
   * @param code how it failed here
   * @return false if this node has to count the attempt
   */
  public boolean leave(ClaimedJob job, String code, Moment now) {
    try {
      Job stored = lookup.find(List.of(job.id())).get(job.id());
      if (stored == null || !mayBeReadElsewhere(stored, code, nodes.list())) {
        return false;
      }
    } catch (StoreException away) {
      log.warn(
          "Could not check whether another node can read job {}; leaving it to other nodes for now:"
              + " {}",
          job.id(),
          away.getMessage());
    }
    refused.put(job.id(), new Refused(job.queue(), job.task(), code));
    nextReview = nextReview.earlier(now.plus(REVIEW));
    return true;
  }

  /**
   * Returns whether this node claims jobs of a task, apart from those that are {@link #leftOut}.
   */
  public boolean mayClaim(String task) {
    return refused.size() < MOST_OF_TASK
        || refused.values().stream().filter(job -> job.task().equals(task)).count() < MOST_OF_TASK;
  }

  /** Returns the jobs that a claim must skip. */
  public Set<JobId> leftOut(String queue, Collection<String> tasks) {
    return refused.isEmpty()
        ? Set.of()
        : refused.entrySet().stream()
            .filter(entry -> entry.getValue().queue().equals(queue))
            .filter(entry -> tasks.contains(entry.getValue().task()))
            .map(Map.Entry::getKey)
            .collect(Collectors.toSet());
  }

  /**
   * Checks from time to time whether other nodes can still be expected to read the jobs, and drops
   * the jobs for which that is not the case, or which have ended.
   *
   * @return when to call again at the latest
   */
  public Moment review(Moment now) {
    if (now.isBefore(nextReview)) {
      return nextReview;
    }
    nextReview = now.plus(REVIEW);
    try {
      Map<JobId, Job> stored = lookup.find(refused.keySet());
      List<NodeSnapshot> known = nodes.list();
      refused
          .entrySet()
          .removeIf(entry -> {
            Job job = stored.get(entry.getKey());
            return job == null
                || hasEnded(job)
                || !mayBeReadElsewhere(job, entry.getValue().code(), known);
          });
    } catch (StoreException away) {
      log.warn(
          "Could not review the jobs that are left to other nodes, retrying later: {}",
          away.getMessage());
    }
    if (refused.isEmpty()) {
      nextReview = Moment.NEVER;
    }
    return nextReview;
  }

  private static boolean hasEnded(Job job) {
    return switch (job.state()) {
      case SUCCEEDED, FAILED, CANCELLED, EXPIRED -> true;
      case SCHEDULED, READY, CLAIMED, RUNNING, WAITING, ON_HOLD -> false;
    };
  }

  private boolean mayBeReadElsewhere(Job job, String code, List<NodeSnapshot> known) {
    return known.stream().anyMatch(other -> serves(other, job) && !failedToRead(other, job, code));
  }

  private boolean serves(NodeSnapshot other, Job job) {
    String stack = job.stack();
    return other.alive()
        && !other.registration().id().equals(node)
        && other.registration().queues().contains(job.queue())
        && other.registration().tasks().contains(job.task())
        && (stack == null || Stacks.include(other.registration().serves(), stack))
        && new CurrentModes(other.modes()).mayRun(job.task());
  }

  /** A node with the same id that was started later may have a newer version. */
  private static boolean failedToRead(NodeSnapshot other, Job job, String code) {
    for (FailedAttempt failure : job.failures()) {
      if (failure.code().equals(code)
          && failure.node().equals(other.registration().id())
          && !failure.failedAt().isBefore(other.startedAt())) {
        return true;
      }
    }
    return false;
  }
}
