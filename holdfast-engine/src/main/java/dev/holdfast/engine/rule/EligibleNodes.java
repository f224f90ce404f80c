package dev.holdfast.engine.rule;

import dev.holdfast.api.job.WaitReason;
import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.NodeStore.LostLane;
import dev.holdfast.engine.store.Stacks;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Decides which live nodes can run a job, and what the others lack. Every store calls it. */
public final class EligibleNodes {
  private EligibleNodes() {}

  /**
   * A node that is recorded as alive.
   *
   * @param stacks the stacks whose jobs it runs, in addition to jobs without a stack; may be {@link
   *     Stacks#ALL}
   * @param lost the lanes in which it has lost slots to hung handlers
   * @param graphFormat the newest format of graphs that it reads
   */
  public record Candidate(
      String id,
      Set<String> queues,
      Set<String> tasks,
      Set<String> stacks,
      Modes modes,
      List<LostLane> lost,
      int graphFormat) {

    /** Returns whether it has what a job needs, whatever its modes are. */
    boolean has(String queue, String task, @Nullable String stack) {
      return queues.contains(queue)
          && tasks.contains(task)
          && (stack == null || Stacks.include(stacks, stack));
    }

    /** Returns the lane for a job, if all of its slots are lost. */
    Optional<LostLane> blocked(String queue, String task) {
      return lost.stream().filter(lane -> lane.blocks(queue, task)).findFirst();
    }

    boolean mayRun(String task) {
      return new CurrentModes(modes).mayRun(task);
    }
  }

  /**
   * Returns what the nodes lack that come closest to running a job; empty if one of them can run
   * it.
   */
  public static Optional<WaitReason> lacking(
      String queue, String task, @Nullable String stack, List<Candidate> living) {
    List<Candidate> serving = only(living, node -> node.queues.contains(queue));
    if (serving.isEmpty()) {
      return Optional.of(new WaitReason.QueueNotServed(queue));
    }
    List<Candidate> knowing = only(serving, node -> node.tasks.contains(task));
    if (knowing.isEmpty()) {
      return Optional.of(new WaitReason.TaskNotServed(task, queue));
    }
    List<Candidate> near = knowing;
    if (stack != null) {
      near = only(knowing, node -> Stacks.include(node.stacks, stack));
      if (near.isEmpty()) {
        return Optional.of(new WaitReason.StackNotServed(stack, task));
      }
    }
    List<Candidate> taking = only(near, node -> node.mayRun(task));
    return taking.isEmpty()
        ? Optional.of(new WaitReason.ModeForbids(task, idsOf(near)))
        : slotsLost(queue, task, taking);
  }

  private static Optional<WaitReason> slotsLost(String queue, String task, List<Candidate> taking) {
    List<LostLane> blocked =
        taking.stream().flatMap(node -> node.blocked(queue, task).stream()).toList();
    return blocked.size() < taking.size()
        ? Optional.empty()
        : Optional.of(
            new WaitReason.SlotsLost(
                queue,
                blocked.stream().mapToInt(LostLane::lost).sum(),
                blocked.stream().mapToInt(LostLane::slots).sum(),
                idsOf(taking)));
  }

  private static List<String> idsOf(List<Candidate> nodes) {
    return nodes.stream().map(Candidate::id).distinct().sorted().toList();
  }

  private static List<Candidate> only(List<Candidate> nodes, Predicate<Candidate> wanted) {
    return nodes.stream().filter(wanted).toList();
  }
}
