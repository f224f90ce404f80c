package dev.holdfast.engine.workflow;

import dev.holdfast.api.codec.PayloadCodec;
import dev.holdfast.api.workflow.MaxActive;
import dev.holdfast.api.workflow.OnError;
import dev.holdfast.api.workflow.Rule;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.engine.store.Definitions;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The graph of a workflow as it is stored: names and texts only, so that any node that knows the
 * tasks can run a step of it. Steps refer to each other by position.
 *
 * @param name the name of the workflow
 * @param label a display text; null for none
 * @param steps all steps: those of the workflow, then their compensations, then the finally steps
 * @param result where the result of a run comes from; null for none
 * @param deadline how long a run may take; null for no limit
 * @param required the steps that must succeed; empty for the default
 * @param maxActive how many runs may be active at once; null for no limit
 */
public record Graph(
    String name,
    @Nullable String label,
    List<Node> steps,
    @Nullable Input result,
    @Nullable Duration deadline,
    Set<Integer> required,
    @Nullable MaxActive maxActive) {
  /** The version of the stored format. */
  static final int FORMAT = Definitions.NEWEST_FORMAT;

  public Graph {
    steps = List.copyOf(steps);
    required = Set.copyOf(required);
  }

  /**
   * Returns the graph of a workflow, as it is stored when the workflow is registered.
   *
   * @param codec encodes the constants of the workflow
   */
  public static Graph of(Workflow<?, ?> workflow, PayloadCodec codec) {
    return new GraphCompiler(codec).compile(workflow).graph();
  }

  /**
   * Returns a graph from the form in which it is stored.
   *
   * @throws IllegalStateException if it was written by a newer version
   */
  public static Graph of(Definitions.Definition stored) {
    return GraphJson.read(stored);
  }

  /** Returns the hash under which this graph is stored. */
  public String hash() {
    return GraphJson.definition(this).hash();
  }

  /** Which phase of a run a step belongs to. */
  public enum Part {
    MAIN,
    COMPENSATION,
    FINALLY
  }

  /**
   * A step.
   *
   * @param after the positions of its dependencies, in the order in which they were given
   * @param timeout how long the step as a whole may take; null for no limit
   * @param label a display text; null for none
   * @param compensates the position of the step that this one undoes; -1 for none
   */
  public record Node(
      String name,
      Part part,
      Work work,
      List<Integer> after,
      Rule rule,
      OnError onError,
      boolean eager,
      @Nullable Duration timeout,
      @Nullable String label,
      int compensates) {
    public Node {
      after = List.copyOf(after);
    }
  }

  /** What a step does. */
  public sealed interface Work {
    /** Runs a task. */
    record Task(JobTemplate job, Input payload) implements Work {}

    /**
     * Runs a task for each element of a list.
     *
     * @param concurrency how many jobs may exist at a time; 0 for no limit
     * @param tolerated how many jobs may fail
     * @param itemLabel the path of the label of an element; null for none
     */
    record Map(
        JobTemplate job, Input items, int concurrency, int tolerated, @Nullable String itemLabel)
        implements Work {}

    /**
     * Runs another workflow.
     *
     * @param hash the hash of its graph
     */
    record Child(String workflow, String hash, Input input) implements Work {}

    /** Waits for a time. */
    record Sleep(Duration time) implements Work {}

    /**
     * Waits for a signal.
     *
     * @param otherwise the encoded output if the timeout passes; null to fail
     */
    record Signal(String signal, @Nullable String otherwise) implements Work {}
  }

  /**
   * How the jobs of a step are run.
   *
   * @param policy retries, timeout and crash policy as text; null for those of the task
   * @param startWithin how long after it is due a job may start; null for no limit
   */
  public record JobTemplate(
      String task,
      String queue,
      int priority,
      Set<String> tags,
      @Nullable String policy,
      @Nullable Duration startWithin) {
    public JobTemplate {
      tags = Set.copyOf(tags);
    }
  }

  /** Where a value comes from. */
  public sealed interface Input {
    /** The input of the run. */
    record RunInput() implements Input {}

    /** The context of the step, or the part at a path. */
    record Context(@Nullable String path) implements Input {}

    /** The output of a step, or the part at a path. */
    record Output(int step, @Nullable String path) implements Input {}

    /** A constant, encoded. */
    record Constant(String value) implements Input {}

    /** For a compensation: what the compensated step was given and what it returned. */
    record Compensated() implements Input {}
  }
}
