package dev.holdfast.api.job;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Why a job is not running. */
public sealed interface WaitReason {

  /** A sentence for people. */
  String describe();

  /** Its time has not come. */
  record NotDue(Instant runAt) implements WaitReason {
    @Override
    public String describe() {
      return "It is due at %s.".formatted(runAt);
    }
  }

  /** Its queue is paused. */
  record QueuePaused(String queue) implements WaitReason {
    @Override
    public String describe() {
      return "Queue '%s' is paused; resume it.".formatted(queue);
    }
  }

  /** Its queue has reached its cluster-wide limit. */
  record QueueFull(String queue, int limit) implements WaitReason {
    @Override
    public String describe() {
      return "Queue '%s' runs %d jobs already, its limit for the whole cluster."
          .formatted(queue, limit);
    }
  }

  /** Its task has reached its cluster-wide limit. */
  record TaskFull(String task, int limit) implements WaitReason {
    @Override
    public String describe() {
      return "Task '%s' runs %d jobs already, its limit for the whole cluster."
          .formatted(task, limit);
    }
  }

  /** The breaker of its task is open. */
  record BreakerOpen(String task, Instant until) implements WaitReason {
    @Override
    public String describe() {
      return "Task '%s' failed too often, so its breaker is open; from %s on one job is let through to see whether it works again."
          .formatted(task, until);
    }
  }

  /** No live node works on its queue. */
  record QueueNotServed(String queue) implements WaitReason {
    @Override
    public String describe() {
      return "No live node serves queue '%s'; start one, or add the queue to a node's settings."
          .formatted(queue);
    }
  }

  /** No live node that works on its queue knows its task. */
  record TaskNotServed(String task, String queue) implements WaitReason {
    @Override
    public String describe() {
      return "No live node that serves queue '%s' has a handler for task '%s'; deploy one. The job is kept until then."
          .formatted(queue, task);
    }
  }

  /** No live node that knows its task runs jobs of its fleet. */
  record StackNotServed(String stack, String task) implements WaitReason {
    @Override
    public String describe() {
      return "It belongs to stack '%s', and no live node that has a handler for task '%s' runs jobs of that stack; start one, or let a node serve it too."
          .formatted(stack, task);
    }
  }

  /**
   * Every live node that could run it is told not to.
   *
   * @param nodes what people call them
   */
  record ModeForbids(String task, List<String> nodes) implements WaitReason {
    public ModeForbids {
      nodes = List.copyOf(nodes);
    }

    @Override
    public String describe() {
      return "Of the live nodes that could run it (%s) none is in mode full for task '%s'; switch one, with 'holdfast node mode ID full'."
          .formatted(String.join(", ", nodes), task);
    }
  }

  /**
   * On every live node that could run it, handlers that ignore their interrupt occupy all slots.
   *
   * @param lost how many slots are lost on these nodes
   * @param slots how many they have for it
   * @param nodes their ids
   */
  record SlotsLost(String queue, int lost, int slots, List<String> nodes) implements WaitReason {
    public SlotsLost {
      nodes = List.copyOf(nodes);
    }

    @Override
    public String describe() {
      return "%d of %d slots of queue '%s' on %s %s are lost to handlers that ignore their interrupt; restart there, and let the handlers respond to interruption."
          .formatted(
              lost, slots, queue, nodes.size() == 1 ? "node" : "nodes", String.join(", ", nodes));
    }
  }

  /**
   * Nodes died while they ran it, twice or more, and each node starts such jobs slowly: one at a
   * time at first, then more as they end well.
   *
   * @param before how many such jobs are before it
   */
  record CrashSuspect(int crashes, long before) implements WaitReason {
    @Override
    public String describe() {
      return "Nodes died %d times while they ran it, and nodes start such jobs slowly; %d are before it."
          .formatted(crashes, before);
    }
  }

  /** Others are before it. */
  record Queued(long before, Duration waited) implements WaitReason {
    @Override
    public String describe() {
      return "%d jobs of its queue are before it; it has waited %s.".formatted(before, waited);
    }
  }

  /** A node holds it and is about to begin. */
  record Prefetched(String node) implements WaitReason {
    @Override
    public String describe() {
      return "Node %s holds it and begins it when a slot is free.".formatted(node);
    }
  }

  /** It is not waiting at all. */
  record NotWaiting(JobState state) implements WaitReason {
    @Override
    public String describe() {
      return "It does not wait: it is %s.".formatted(state);
    }
  }
}
