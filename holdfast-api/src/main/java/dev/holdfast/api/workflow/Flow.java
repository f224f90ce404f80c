package dev.holdfast.api.workflow;

import dev.holdfast.api.job.JobOptions;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.api.workflow.Source.Input;
import dev.holdfast.api.workflow.StepDefinition.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The graph of a workflow while it is being built.
 *
 * <p>Unless a step names the source of its payload, it gets its context: the input of the run and
 * the outputs of all steps before it, merged. Objects are merged deeply, arrays are appended, and
 * other values are replaced by those of later steps. An output that is not an object is found under
 * the name of its step.
 *
 * @param <I> the type of the input of a run
 */
public final class Flow<I> {
  private final TypeRef<I> inputType;
  private final List<Step<?>> steps = new ArrayList<>();
  private final List<NamedOutput> namedOutputs = new ArrayList<>();
  private final Set<String> required = new LinkedHashSet<>();
  private @Nullable Duration deadline;
  private @Nullable MaxActive maxActive;
  private @Nullable String label;

  Flow(TypeRef<I> inputType) {
    this.inputType = inputType;
  }

  /** Returns the input of the run as the source of a payload. */
  public Source<I> input() {
    return new Source.Value<>(new Input.RunInput(), inputType);
  }

  /** Adds a step that runs a task with the context as its payload. */
  public <P, R> Step<R> step(String name, TaskType<P, R> task) {
    return step(name, task, new Source.Value<>(new Input.Context(null), task.payload()));
  }

  /**
   * Adds a step that runs a task.
   *
   * @param payload where the payload comes from. If it is another step, that step is a dependency
   */
  public <P, R> Step<R> step(String name, TaskType<P, R> task, Source<? extends P> payload) {
    return add(
        new Step<>(name, task.result(), new Work.RunTask(task, payload.input()), task.defaults()));
  }

  /**
   * Adds a step that runs a task once for each element of a list, at most 10,000.
   *
   * @param items where the list comes from. If it is another step, that step is a dependency
   */
  public <P, R> MapStep<R> map(
      String name, TaskType<P, R> task, Source<? extends List<? extends P>> items) {
    return add(
        new MapStep<>(
            name,
            TypeRef.listOf(task.result()),
            new Work.MapTask(task, items.input(), 0, 0, null),
            task.defaults()));
  }

  /** Adds a step that runs another workflow. */
  public <C, R> ChildStep<R> workflow(
      String name, Workflow<C, R> child, Source<? extends C> childInput) {
    return add(
        new ChildStep<>(name, new Work.RunWorkflow(child, childInput.input()), child.resultType()));
  }

  /** Adds a step that waits for a time. It uses no thread and survives restarts. */
  public Step<Void> sleep(String name, Duration time) {
    return add(new Step<>(name, TypeRef.of(Void.class), new Work.Sleep(time), JobOptions.DEFAULTS));
  }

  /**
   * Adds a step that waits for a signal. A signal that was sent before counts.
   *
   * @param signal the name of the signal
   * @param payload the type of its payload
   */
  public <R> SignalStep<R> awaitSignal(String name, String signal, Class<R> payload) {
    return awaitSignal(name, signal, TypeRef.of(payload));
  }

  /** Adds a step that waits for a signal whose payload may be generic. */
  public <R> SignalStep<R> awaitSignal(String name, String signal, TypeRef<R> payload) {
    return add(new SignalStep<>(name, payload, new Work.AwaitSignal(signal, payload, null)));
  }

  /**
   * Adds a step that runs a task after all other steps, however the run ends: after success,
   * failure and cancellation, and after compensations. Its payload is the context of all steps. Its
   * dependencies may be other finally steps only.
   */
  public <P, R> Step<R> finallyStep(String name, TaskType<P, R> task) {
    return step(name, task).runsFinally();
  }

  /**
   * Returns a part of the context as the source of a payload.
   *
   * @param path the path of a field, such as {@code customer.orders}
   */
  public <T> Source<T> context(String path, Class<T> type) {
    return context(path, TypeRef.of(type));
  }

  /** Returns a part of the context whose type may be generic as the source of a payload. */
  public <T> Source<T> context(String path, TypeRef<T> type) {
    return new Source.Value<>(new Input.Context(path), type);
  }

  /** Returns a constant as the source of a payload. */
  public <T> Source<T> constant(T value, TypeRef<T> type) {
    return new Source.Value<>(new Input.Constant(value), type);
  }

  /**
   * Returns the output of a step as the source of a payload, by name. The type must be that of the
   * step. Prefer to pass the {@link Step} itself: then the compiler checks both.
   */
  public <T> Source<T> output(String step, TypeRef<T> type) {
    namedOutputs.add(new NamedOutput(step, type));
    return new Source.Value<>(new Input.Output(step, null), type);
  }

  /**
   * Limits how long a run may take, from its start. After that it is cancelled and ends FAILED with
   * the reason {@code DEADLINE}. Defaults to no limit.
   */
  public Flow<I> deadline(Duration longest) {
    this.deadline = longest;
    return this;
  }

  /**
   * Names the steps that must succeed for a run to count as a success; it fails if one of them is
   * skipped. Defaults to all steps, of which none may have failed, unless its {@link OnError} is
   * CONTINUE.
   */
  public Flow<I> mustSucceed(Step<?>... chosen) {
    Arrays.stream(chosen).forEach(step -> required.add(step.name()));
    return this;
  }

  /** Limits how many runs are active at once. Defaults to no limit. */
  public Flow<I> maxActive(MaxActive limit) {
    this.maxActive = limit;
    return this;
  }

  /** Sets a display text, shown instead of the name. Defaults to none. */
  public Flow<I> label(String text) {
    this.label = text;
    return this;
  }

  private <S extends Step<?>> S add(S step) {
    steps.add(step);
    return step;
  }

  <R> Workflow<I, R> build(String name, TypeRef<R> resultType, @Nullable Source<R> result) {
    return new Workflow<>(
        name,
        inputType,
        resultType,
        steps.stream().map(Step::definition).toList(),
        result == null ? null : result.input(),
        deadline,
        Collections.unmodifiableSet(new LinkedHashSet<>(required)),
        maxActive,
        label,
        typeErrors());
  }

  /** An output that was requested by the name of its step, with the type its reader expects. */
  record NamedOutput(String step, TypeRef<?> type) {}

  /** Returns a problem for each output that was requested by name with a type it does not have. */
  private List<String> typeErrors() {
    List<String> errors = new ArrayList<>();
    for (NamedOutput named : namedOutputs) {
      for (Step<?> step : steps) {
        if (step.name().equals(named.step()) && !step.type().equals(named.type())) {
          errors.add(
              "The output of step '%s' is read as %s, but it is %s: correct the type, or pass the step itself."
                  .formatted(step.name(), named.type().simpleName(), step.type().simpleName()));
        }
      }
    }
    return errors;
  }
}
