package dev.holdfast.api.workflow;

import dev.holdfast.api.job.JobOptions;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.api.workflow.StepDefinition.Work;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A step while its workflow is being built, and the source of its output for other steps. Its
 * methods return the step, so that calls can be chained.
 *
 * @param <R> the type of its output
 */
public sealed class Step<R> implements Source<R> permits MapStep, ChildStep, SignalStep {
  private final String name;
  private final TypeRef<R> type;
  private final Set<String> after = new LinkedHashSet<>();
  private Rule rule = Rule.allSucceeded();
  private OnError onError = OnError.FAIL;
  private JobOptions options;
  private @Nullable Duration timeout;
  private @Nullable String label;
  private boolean eager;
  private boolean isFinally;
  private @Nullable TaskType<?, ?> compensation;
  Work work;

  Step(String name, TypeRef<R> type, Work work, JobOptions options) {
    this.name = name;
    this.type = type;
    this.work = work;
    this.options = options;
  }

  /** Returns the name of the step. */
  public final String name() {
    return name;
  }

  /** Returns the output of this step as the source of a payload. */
  @Override
  public final Input input() {
    return new Input.Output(name, null);
  }

  /** Returns the type of the output. */
  @Override
  public final TypeRef<R> type() {
    return type;
  }

  /**
   * Adds dependencies: this step is considered when they have ended. Steps whose output is the
   * payload of this step are dependencies without this call. Defaults to none: the step starts with
   * the run.
   */
  public final Step<R> after(Step<?>... steps) {
    Arrays.stream(steps).forEach(step -> after.add(step.name()));
    return this;
  }

  /** Adds dependencies by name, for graphs that are built from data. */
  public final Step<R> after(String... steps) {
    Collections.addAll(after, steps);
    return this;
  }

  /**
   * Sets the rule that decides whether the step runs or is skipped, once all its dependencies have
   * ended. Defaults to {@link Rule#allSucceeded}.
   */
  public final Step<R> when(Rule condition) {
    this.rule = condition;
    return this;
  }

  /**
   * Lets the step run as soon as its rule must hold, although some dependencies have not ended. Its
   * context then contains only what has ended by then. Defaults to waiting for all dependencies,
   * because the result does not depend on their order then.
   */
  public final Step<R> eager() {
    this.eager = true;
    return this;
  }

  /**
   * Sets what the run does when this step has failed permanently. Defaults to {@link OnError#FAIL}.
   */
  public final Step<R> onError(OnError reaction) {
    this.onError = reaction;
    return this;
  }

  /**
   * Changes how the job of the step is run: its queue, priority, retries, timeout, crash policy and
   * tags. Delays and unique keys cannot be set. Defaults to the options of the task.
   */
  public final Step<R> with(Consumer<JobOptions.Builder> changes) {
    this.options = options.with(changes);
    return this;
  }

  /**
   * Limits how long the step as a whole may take, from its start: with all retries of its job, all
   * children of a map, the whole child run, or the wait for a signal. After that it fails as {@code
   * TIMED_OUT}, and what still runs is cancelled. A limit for a single attempt is an option of the
   * job ({@link JobOptions.Builder#timeout}). Defaults to no limit.
   */
  public final Step<R> within(Duration longest) {
    this.timeout = longest;
    return this;
  }

  /** Sets a display text, shown instead of the name. Defaults to none. */
  public final Step<R> label(String text) {
    this.label = text;
    return this;
  }

  /**
   * Sets the task that undoes this step. If the run fails or is cancelled after the step has
   * succeeded, it runs with a payload of the form {@code {"input": …, "output": …}}: what the step
   * was given, and what it returned. Compensations run one at a time, in the reverse order in which
   * their steps succeeded. Defaults to none.
   */
  public final Step<R> compensate(TaskType<?, ?> undo) {
    this.compensation = undo;
    return this;
  }

  final Step<R> runsFinally() {
    this.isFinally = true;
    return this;
  }

  /** Returns the step as a value. */
  final StepDefinition definition() {
    Set<String> all = new LinkedHashSet<>(after);
    if (work.input().orElse(null) instanceof Input.Output output) {
      all.add(output.step());
    }
    return new StepDefinition(
        name,
        work,
        Collections.unmodifiableSet(all),
        rule,
        onError,
        options,
        timeout,
        label,
        eager,
        isFinally,
        compensation);
  }
}
