package dev.holdfast.api.workflow;

import dev.holdfast.api.internal.ProblemCollector;
import dev.holdfast.api.internal.StarterTask;
import dev.holdfast.api.internal.Times;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.type.TypeRef;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A named graph of steps. A workflow is an immutable value that is validated when it is defined.
 *
 * <pre>{@code
 * static final TaskType<Order, Receipt> PAY =
 *     TaskType.of("orders::pay", Order.class, Receipt.class);
 * static final TaskType<Object, Void> REFUND = TaskType.of("orders::refund", Object.class);
 * static final TaskType<Receipt, Void> SHIP = TaskType.of("orders::ship", Receipt.class);
 *
 * static final Workflow<Order, Void> FULFIL =
 *     Workflow.define("orders::fulfil", Order.class, flow -> {
 *       Step<Receipt> pay = flow.step("pay", PAY, flow.input()).compensate(REFUND);
 *       flow.step("ship", SHIP, pay);
 *     });
 * }</pre>
 *
 * @param <I> the type of the input of a run
 * @param <R> the type of the result of a run
 */
public final class Workflow<I, R> {
  private final String name;
  private final TypeRef<I> inputType;
  private final TypeRef<R> resultType;
  private final List<StepDefinition> steps;
  private final Source.@Nullable Input result;
  private final @Nullable Duration deadline;
  private final Set<String> required;
  private final @Nullable MaxActive maxActive;
  private final @Nullable String label;
  private final int levels;

  Workflow(
      String name,
      TypeRef<I> inputType,
      TypeRef<R> resultType,
      List<StepDefinition> steps,
      Source.@Nullable Input result,
      @Nullable Duration deadline,
      Set<String> required,
      @Nullable MaxActive maxActive,
      @Nullable String label,
      List<String> typeErrors) {
    this.name = name;
    this.inputType = inputType;
    this.resultType = resultType;
    this.steps = List.copyOf(steps);
    this.result = result;
    this.deadline = deadline == null ? null : Times.bounded(deadline);
    this.required = required;
    this.maxActive = maxActive;
    this.label = label;
    this.levels = levels(steps);
    List<String> problems = WorkflowCheck.problemsOf(this, typeErrors);
    if (!problems.isEmpty()) {
      ProblemCollector.report(new InvalidWorkflowException(name, problems));
    }
  }

  /**
   * Defines a workflow without a result.
   *
   * @param name segments of {@code a-z}, {@code 0-9}, {@code _} and {@code -} joined by {@code ::}
   * @param input the type of the input of a run
   * @param graph adds the steps
   * @throws InvalidWorkflowException if the graph is not valid; it names all problems
   */
  public static <I> Workflow<I, Void> define(String name, Class<I> input, Consumer<Flow<I>> graph) {
    return define(name, TypeRef.of(input), graph);
  }

  /** Defines a workflow without a result whose input may be generic. */
  public static <I> Workflow<I, Void> define(
      String name, TypeRef<I> input, Consumer<Flow<I>> graph) {
    Flow<I> flow = new Flow<>(input);
    graph.accept(flow);
    return flow.build(name, TypeRef.of(Void.class), null);
  }

  /**
   * Defines a workflow with a result.
   *
   * @param graph adds the steps and returns the source of the result, usually the last step
   * @throws InvalidWorkflowException if the graph is not valid; it names all problems
   */
  public static <I, R> Workflow<I, R> defineWithResult(
      String name, Class<I> input, Function<Flow<I>, Source<R>> graph) {
    return defineWithResult(name, TypeRef.of(input), graph);
  }

  /** Defines a workflow with a result whose input may be generic. */
  public static <I, R> Workflow<I, R> defineWithResult(
      String name, TypeRef<I> input, Function<Flow<I>, Source<R>> graph) {
    Flow<I> flow = new Flow<>(input);
    Source<R> result = graph.apply(flow);
    return flow.build(name, result.type(), result);
  }

  /**
   * Returns the task that starts a run of this workflow. Schedules, triggers and jobs start runs
   * through it; nodes that know the workflow have a handler for it. Its result is the id of the
   * run, which is that of the job, so a job that is retried does not start a second run.
   *
   * <pre>{@code
   * holdfast.schedules().put(
   *     Schedule.named("nightly").runs(FULFIL.starter(), invoice).cron("0 3 * * *").build());
   * }</pre>
   */
  public TaskType<I, String> starter() {
    return TaskType.of(StarterTask.of(name), inputType, TypeRef.of(String.class));
  }

  /** Returns the name of the workflow. */
  public String name() {
    return name;
  }

  /** Returns the type of the input of a run. */
  public TypeRef<I> inputType() {
    return inputType;
  }

  /** Returns the type of the result of a run. */
  public TypeRef<R> resultType() {
    return resultType;
  }

  /** Returns the steps in the order in which they were added. */
  public List<StepDefinition> steps() {
    return steps;
  }

  /** Returns where the result of a run comes from; empty if it has none. */
  public Optional<Source.Input> result() {
    return Optional.ofNullable(result);
  }

  /** Returns how long a run may take; empty for no limit. */
  public Optional<Duration> deadline() {
    return Optional.ofNullable(deadline);
  }

  /** Returns the names of the steps that must succeed; empty for the default. */
  public Set<String> required() {
    return required;
  }

  /** Returns how many runs may be active at once; empty for no limit. */
  public Optional<MaxActive> maxActive() {
    return Optional.ofNullable(maxActive);
  }

  /** Returns a display text; empty for none. */
  public Optional<String> label() {
    return Optional.ofNullable(label);
  }

  /** Returns how deep workflows are nested: 1 if no step runs another workflow. */
  int levels() {
    return levels;
  }

  private static int levels(List<StepDefinition> steps) {
    int deepest = 0;
    for (StepDefinition step : steps) {
      if (step.work() instanceof StepDefinition.Work.RunWorkflow child) {
        deepest = Math.max(deepest, child.workflow().levels);
      }
    }
    return deepest + 1;
  }

  /** Returns the name. */
  @Override
  public String toString() {
    return name;
  }
}
