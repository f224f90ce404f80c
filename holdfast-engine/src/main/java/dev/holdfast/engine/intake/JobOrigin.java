package dev.holdfast.engine.intake;

import dev.holdfast.api.HoldfastException;
import dev.holdfast.api.job.JobId;
import dev.holdfast.engine.rule.CurrentModes;
import dev.holdfast.engine.store.NewJob.Stamp;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Determines the stamp of jobs that are enqueued here. */
@FunctionalInterface
public interface JobOrigin {
  /** For clients without a node. */
  JobOrigin NONE = task -> Stamp.NONE;

  /**
   * Returns the stamp of a job of this task.
   *
   * @throws HoldfastException if jobs of this task cannot be enqueued here
   */
  Stamp of(String task);

  /**
   * Returns the hash of the graph of which a run is started when only the name of the workflow is
   * given; null for the graph that was stored last.
   */
  default @Nullable String graph(String workflow) {
    return null;
  }

  /** Returns the same origin for jobs that the handler of a job enqueues. */
  default JobOrigin childrenOf(JobId parent) {
    return task -> {
      Stamp stamp = of(task);
      return new Stamp(stamp.stack(), stamp.source(), parent);
    };
  }

  /**
   * Returns the origin of jobs that are enqueued on a node: they belong to its stack, and name the
   * node if it leaves them to other nodes. A disabled node enqueues none.
   */
  static JobOrigin onNode(String node, @Nullable String stack, CurrentModes modes) {
    Stamp own = stack == null ? Stamp.NONE : new Stamp(stack, null);
    Stamp deferred = new Stamp(stack, node);
    return task ->
        switch (modes.of(task)) {
          case FULL -> own;
          case TRIGGER_ONLY -> deferred;
          case DISABLED ->
              throw new HoldfastException(
                  "Node %s is disabled and accepts no jobs of task '%s': use a client without a node, or switch the node to trigger-only or full."
                      .formatted(node, task));
        };
  }

  /**
   * Returns an origin that gives the jobs of some tasks and the runs of some workflows another
   * stack.
   *
   * @param stacks returns the stack by the name of a task or workflow; null for that of this origin
   */
  default JobOrigin inStacks(Function<String, @Nullable String> stacks) {
    return task -> {
      Stamp stamp = of(task);
      String stack = stacks.apply(task);
      return stack == null ? stamp : new Stamp(stack, stamp.source());
    };
  }

  /**
   * Returns the origin of what nodes of a stack declare: it belongs to that stack, no matter which
   * mode they are in.
   */
  static JobOrigin declared(@Nullable String stack) {
    Stamp stamp = stack == null ? Stamp.NONE : new Stamp(stack, null);
    return task -> stamp;
  }
}
