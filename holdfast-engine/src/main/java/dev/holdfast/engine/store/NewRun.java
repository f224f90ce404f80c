package dev.holdfast.engine.store;

import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.workflow.MaxActive;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.StepState;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A run to be written.
 *
 * @param mayExist whether a run with this id may exist, because the call is repeated
 * @param first what its start does, if the gate lets it start at once
 */
public record NewRun(RunId id, boolean mayExist, Content content, RunPlan first) {

  /**
   * What is stored of a run apart from its steps.
   *
   * @param definition the id of its graph in the store
   * @param workflow the name of its workflow
   * @param input the encoded input; null for none
   * @param unique a key that prevents duplicates among the runs of the workflow; null for none
   * @param priority the priority of its jobs; null for that of each step
   * @param gate the limit on active runs; null for none
   * @param parent the step that starts it; null for a run that a client starts
   * @param origin the run that it repeats; null for none
   * @param source the stack of its jobs, and what started it
   * @param inherited results that it takes over from the origin
   */
  public record Content(
      int definition,
      String workflow,
      @Nullable String input,
      @Nullable UniqueKey unique,
      Set<String> tags,
      @Nullable String label,
      @Nullable Integer priority,
      @Nullable Gate gate,
      @Nullable StepRef parent,
      @Nullable RunId origin,
      RunSource source,
      List<RunPlan.Result> inherited) {

    public Content {
      tags = Set.copyOf(tags);
      inherited = List.copyOf(inherited);
    }
  }

  /**
   * A limit on active runs.
   *
   * @param key what is counted: the runs of the workflow with this key; empty if the limit applies
   *     to all of them together
   * @param count the maximum
   * @param onFull what to do if that number is active
   */
  public record Gate(String key, int count, MaxActive.OnFull onFull) {}

  /** Returns the letters of the run if it has to wait: open, except for what it takes over. */
  public String waitingSteps() {
    StringBuilder letters =
        new StringBuilder(
            String.valueOf(StepState.PENDING.letter()).repeat(first.steps().length()));
    for (RunPlan.Result result : content.inherited()) {
      if (result.item() == StepRef.NO_ITEM) {
        letters.setCharAt(result.step(), result.outcome().letter());
      }
    }
    return letters.toString();
  }

  /** Returns the events of the run if it has to wait: those of {@link #waitingSteps}. */
  public List<RunPlan.Event> waitingEvents() {
    String letters = waitingSteps();
    return first.events().stream()
        .filter(event ->
            event.step() >= 0 && letters.charAt(event.step()) != StepState.PENDING.letter())
        .toList();
  }

  /** Returns the same run, to be sent again because the first reply was lost. */
  public NewRun repeated() {
    return new NewRun(id, true, content, first);
  }
}
