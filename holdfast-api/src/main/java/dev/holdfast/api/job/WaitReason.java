package dev.holdfast.api.job;

import dev.holdfast.api.internal.Times;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Why a job is not running. */
public sealed interface WaitReason {

  /** Returns the reason and the remedy in a sentence. */
  String describe();

  /**
   * The job is not due yet.
   *
   * @param runAt when it is due
   */
  record NotDue(Instant runAt) implements WaitReason {
    @Override
    public String describe() {
      return "The job is due at %s.".formatted(runAt);
    }
  }

  /**
   * The queue is paused.
   *
   * @param queue the queue of the job
   * @param reason why; null if no reason was given
   * @param since since when; null if it is not known
   */
  record QueuePaused(String queue, @Nullable String reason, @Nullable Instant since)
      implements WaitReason {
    @Override
    public String describe() {
      return reason == null
          ? "Queue '%s' is paused; resume it.".formatted(queue)
          : "Queue '%s' is paused (%s); resume it.".formatted(queue, reason);
    }
  }

  /**
   * The queue has reached its cluster-wide limit.
   *
   * @param queue the queue of the job
   * @param limit its limit
   */
  record QueueFull(String queue, int limit) implements WaitReason {
    @Override
    public String describe() {
      return "Queue '%s' has reached its cluster-wide limit of %d jobs; the job waits until one of them has ended."
          .formatted(queue, limit);
    }
  }

  /**
   * The task has reached its cluster-wide limit.
   *
   * @param task the task of the job
   * @param limit its limit
   */
  record TaskFull(String task, int limit) implements WaitReason {
    @Override
    public String describe() {
      return "Task '%s' has reached its cluster-wide limit of %d jobs; the job waits until one of them has ended."
          .formatted(task, limit);
    }
  }

  /**
   * The circuit breaker of the task is open.
   *
   * @param task the task of the job
   * @param until when a trial job may start
   */
  record BreakerOpen(String task, Instant until) implements WaitReason {
    @Override
    public String describe() {
      return "Task '%s' failed too often, so its circuit breaker is open; after %s a trial job starts, and if it succeeds the breaker closes."
          .formatted(task, until);
    }
  }

  /**
   * No live node serves the queue.
   *
   * @param queue the queue of the job
   */
  record QueueNotServed(String queue) implements WaitReason {
    @Override
    public String describe() {
      return "No live node serves queue '%s'; start one, or add the queue to the settings of a node."
          .formatted(queue);
    }
  }

  /**
   * No live node that serves the queue has a handler for the task.
   *
   * @param task the task of the job
   * @param queue the queue of the job
   */
  record TaskNotServed(String task, String queue) implements WaitReason {
    @Override
    public String describe() {
      return "No live node that serves queue '%s' has a handler for task '%s'; deploy one. The job is kept until then."
          .formatted(queue, task);
    }
  }

  /**
   * No live node that has a handler for the task serves the stack of the job.
   *
   * @param stack the stack of the job
   * @param task the task of the job
   */
  record StackNotServed(String stack, String task) implements WaitReason {
    @Override
    public String describe() {
      return "The job belongs to stack '%s', and no live node that has a handler for task '%s' serves that stack; start one, or add the stack to the settings of a node."
          .formatted(stack, task);
    }
  }

  /**
   * The mode of every live node that could run the job prevents it.
   *
   * @param task the task of the job
   * @param nodes the ids of these nodes
   */
  record ModeForbids(String task, List<String> nodes) implements WaitReason {
    /** Copies the list. */
    public ModeForbids {
      nodes = List.copyOf(nodes);
    }

    @Override
    public String describe() {
      return "None of the live nodes that could run the job (%s) is in mode full for task '%s'; switch one with 'holdfast node mode ID full'."
          .formatted(String.join(", ", nodes), task);
    }
  }

  /**
   * On every live node that could run the job, all slots are occupied by handlers that ignore
   * interruption.
   *
   * @param queue the queue of the job
   * @param lost how many slots are lost on these nodes
   * @param slots how many slots these nodes have for the queue
   * @param nodes the ids of these nodes
   */
  record SlotsLost(String queue, int lost, int slots, List<String> nodes) implements WaitReason {
    /** Copies the list. */
    public SlotsLost {
      nodes = List.copyOf(nodes);
    }

    @Override
    public String describe() {
      return "%d of %d slots of queue '%s' on %s %s are lost to handlers that ignore interruption; restart %s, and fix the handlers."
          .formatted(
              lost,
              slots,
              queue,
              nodes.size() == 1 ? "node" : "nodes",
              String.join(", ", nodes),
              nodes.size() == 1 ? "the node" : "these nodes");
    }
  }

  /**
   * The job is a crash suspect: nodes died while it was running, twice or more. Each node starts
   * crash suspects slowly: first one at a time, then more as they end.
   *
   * @param crashes how many times a node died while the job was running
   * @param before how many crash suspects are ahead of it; counting stops at 10,000
   */
  record CrashSuspect(int crashes, long before) implements WaitReason {
    @Override
    public String describe() {
      return "The job is a crash suspect: nodes died %d times while it was running, and nodes start crash suspects slowly; crash suspects ahead of it: %s."
          .formatted(crashes, shown(before));
    }
  }

  /**
   * The job waits for a free slot, behind other jobs of its queue.
   *
   * @param before how many ready jobs of the queue are ahead of it; counting stops at 10,000
   * @param waited how long it has been due
   */
  record Queued(long before, Duration waited) implements WaitReason {
    @Override
    public String describe() {
      return "The job has waited for a free slot for %s; jobs ahead of it in the queue: %s."
          .formatted(Times.describe(waited), shown(before));
    }
  }

  /**
   * A node has prefetched the job: it is claimed and waits for a free slot of that node.
   *
   * @param node the id of the node
   */
  record Prefetched(String node) implements WaitReason {
    @Override
    public String describe() {
      return "Node %s has claimed the job and starts it when a slot is free.".formatted(node);
    }
  }

  /**
   * The job executes a step of a run that is paused.
   *
   * @param run the id of the run
   */
  record RunPaused(UUID run) implements WaitReason {
    @Override
    public String describe() {
      return "Run %s is paused: resume it.".formatted(run);
    }
  }

  /**
   * The handler of the job waits for a signal, or for a time.
   *
   * @param signal the name of the signal; null if it waits for a time only
   * @param until when the wait ends at the latest; null for never
   */
  record Parked(@Nullable String signal, @Nullable Instant until) implements WaitReason {
    @Override
    public String describe() {
      return signal == null
          ? "The handler sleeps until %s.".formatted(until)
          : "The handler waits for signal '%s'%s."
              .formatted(signal, until == null ? "" : ", until " + until + " at the latest");
    }
  }

  /**
   * The job is not waiting: it is running or has ended.
   *
   * @param state its state
   */
  record NotWaiting(JobState state) implements WaitReason {
    @Override
    public String describe() {
      return "The job is not waiting: it is %s.".formatted(state);
    }
  }

  private static String shown(long before) {
    return before < 10_000 ? String.valueOf(before) : "10000 or more";
  }
}
