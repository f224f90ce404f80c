package dev.holdfast.testkit.workflow;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.Page;
import dev.holdfast.api.internal.Times;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.SignalResult;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.api.workflow.Run;
import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.RunStep;
import dev.holdfast.api.workflow.StepState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A run that a {@link WorkflowTester} runs, and what can be asserted about it.
 *
 * <pre>{@code
 * Workflow<Order, Void> patient =
 *     Workflow.define("orders::patient", Order.class, flow -> {
 *       Step<Void> rest = flow.sleep("rest", Duration.ofDays(3));
 *       flow.awaitSignal("approval", "approved", String.class).after(rest);
 *     });
 *
 * TestedRun<Void> run = WorkflowTester.create().start(patient, new Order(7));
 * run.runUntil("approval", StepState.WAITING).signal("approved", "ada").runToEnd();
 * assertThat(run.elapsed()).isEqualTo(Duration.ofDays(3));
 * }</pre>
 *
 * <p>Steps are named by their path: {@code inner/pay} is step {@code pay} of the child run of step
 * {@code inner}.
 *
 * @param <R> the type of the result
 */
public final class TestedRun<R> {
  private static final int PAGE = 1_000;

  private final WorkflowTester tester;
  private final RunId id;
  private final TypeRef<R> resultType;

  TestedRun(WorkflowTester tester, RunId id, TypeRef<R> resultType) {
    this.tester = tester;
    this.id = id;
    this.resultType = resultType;
  }

  /**
   * Runs until the run has ended, whatever time that takes and however it ends. Other runs and jobs
   * that are due meanwhile run, too.
   *
   * @throws StuckRunError if it does not end
   */
  public TestedRun<R> runToEnd() {
    stopIfStuck(tester.time().run(() -> state().hasEnded()), "does not end");
    return this;
  }

  /** Runs everything that can run without any time passing. */
  public TestedRun<R> runDue() {
    return advance(Duration.ZERO);
  }

  /**
   * Runs until a step is in a state, whatever time that takes; for example until it is WAITING.
   *
   * @throws StuckRunError if that does not happen
   */
  public TestedRun<R> runUntil(String step, StepState wanted) {
    VirtualTime.Stop stop =
        tester.time().run(() -> state().hasEnded() || stateOrPending(step) == wanted);
    if (stop != VirtualTime.Stop.DONE || stateOrPending(step) != wanted) {
      stopIfStuck(
          stop == VirtualTime.Stop.DONE ? VirtualTime.Stop.IDLE : stop,
          "has no step '%s' that becomes %s".formatted(step, wanted));
    }
    return this;
  }

  /** Returns the state of a step; PENDING for a step of a child run that does not exist yet. */
  private StepState stateOrPending(String step) {
    int slash = step.indexOf('/');
    if (slash >= 0 && step(step.substring(0, slash)).child().isEmpty()) {
      return StepState.PENDING;
    }
    return slash < 0
        ? state(step)
        : child(step.substring(0, slash)).stateOrPending(step.substring(slash + 1));
  }

  /**
   * Lets time pass: whatever becomes due runs at its time.
   *
   * @throws StuckRunError if too many attempts run meanwhile, or a handler blocks
   */
  public TestedRun<R> advance(Duration time) {
    tester.advance(time);
    return this;
  }

  private void stopIfStuck(VirtualTime.Stop stop, String what) {
    if (stop != VirtualTime.Stop.DONE) {
      throw new StuckRunError(
          "Run %s of workflow %s %s: %s, %s after its start (%s).%n%s"
              .formatted(
                  id,
                  run().workflow(),
                  what,
                  stop == VirtualTime.Stop.IDLE
                      ? "nothing is due any more"
                      : "gave up after " + tester.time().limit(stop),
                  Times.describe(elapsed()),
                  tester.now(),
                  executedSoFar()),
          waitingFor(),
          stop == VirtualTime.Stop.BLOCKED
              ? tester.script().blocked().map(AttemptScript.Blocked::where).orElse(null)
              : lastThrown());
    }
  }

  private String executedSoFar() {
    List<String> executed = executed();
    int from = Math.max(0, executed.size() - 10);
    return executed.isEmpty()
        ? "No step has been executed."
        : "Executed %s%s."
            .formatted(
                from == 0 ? "" : "%d attempts, the last of them ".formatted(executed.size()),
                String.join(", ", executed.subList(from, executed.size())));
  }

  private @Nullable Throwable lastThrown() {
    return attempts().stream()
        .filter(attempt -> attempt.outcome() == StepAttempt.Outcome.THREW)
        .map(StepAttempt::thrown)
        .filter(Objects::nonNull)
        .reduce((earlier, later) -> later)
        .orElse(null);
  }

  /** Sends a signal to the run now. It is kept until a step waits for it. */
  public TestedRun<R> signal(String signal, @Nullable Object payload) {
    tester.client().runs().signal(id, signal, payload);
    return this;
  }

  /**
   * Sends a signal to the run at a time after its start, if the run has not ended by then.
   *
   * @param after how long after the start of the run
   */
  public TestedRun<R> signalAt(Duration after, String signal, @Nullable Object payload) {
    tester
        .time()
        .plan(
            run().createdAt().plus(after),
            () -> {
              if (!state().hasEnded()) {
                signal(signal, payload);
              }
            });
    return this;
  }

  /**
   * Sends a signal to the job of a step, whose handler awaits it in a durable step.
   *
   * @throws AssertionError if the step has no job that could receive it
   */
  public TestedRun<R> signalJob(String step, String signal, @Nullable Object payload) {
    JobId job =
        step(step)
            .job()
            .orElseThrow(() -> new AssertionError("Step '%s' has no job.".formatted(step)));
    SignalResult result = tester.client().signal(job, signal, payload);
    if (result != SignalResult.SENT) {
      throw new AssertionError(
          "Signal '%s' could not be sent to step '%s': %s.".formatted(signal, step, result));
    }
    return this;
  }

  /** Pauses the run. */
  public TestedRun<R> pause() {
    tester.client().runs().pause(id);
    return this;
  }

  /** Resumes the run. */
  public TestedRun<R> resume() {
    tester.client().runs().resume(id);
    return this;
  }

  /** Cancels the run. Compensations and finally steps run when the test continues. */
  public TestedRun<R> cancel(String reason) {
    tester.client().runs().cancel(id, reason);
    return this;
  }

  /** Retries what failed. It runs when the test continues. */
  public TestedRun<R> retry() {
    tester.client().runs().retry(id);
    return this;
  }

  /** Returns the id of the run. */
  public RunId id() {
    return id;
  }

  /** Returns the run as it is now, with all that a client can read. */
  public Run run() {
    return tester.tree().read(id);
  }

  /** Returns the state of the run. */
  public RunState state() {
    return run().state();
  }

  /**
   * Returns the result; null if the workflow has none.
   *
   * @throws AssertionError if the run has not succeeded; it says why
   */
  public @Nullable R result() {
    String text = orThrow().run().result().orElse(null);
    return text == null ? null : tester.codec().decode(text, resultType);
  }

  /**
   * Returns this run, if it has succeeded.
   *
   * @throws AssertionError otherwise; it says why
   */
  public TestedRun<R> orThrow() {
    Run run = run();
    if (run.state() != RunState.SUCCEEDED) {
      String why = run.reason().map(reason -> ": " + reason).orElse(".");
      String waiting =
          waitingFor().stream()
              .map(line -> System.lineSeparator() + "  - " + line)
              .collect(Collectors.joining());
      throw new AssertionError(
          "Run %s of workflow %s is %s%s%s"
              .formatted(id, run.workflow(), run.state(), why, waiting),
          lastThrown());
    }
    return this;
  }

  /**
   * Returns a step.
   *
   * @throws IllegalArgumentException if there is none with this name
   */
  public RunStep step(String path) {
    int slash = path.indexOf('/');
    if (slash >= 0) {
      return child(path.substring(0, slash)).step(path.substring(slash + 1));
    }
    Run run = run();
    return run.step(path)
        .orElseThrow(() ->
            new IllegalArgumentException(
                "Workflow %s has no step '%s': it has %s."
                    .formatted(
                        run.workflow(), path, run.steps().stream().map(RunStep::name).toList())));
  }

  /** Returns the state of a step. */
  public StepState state(String step) {
    return step(step).state();
  }

  /** Returns the output of a step; null if it has none. */
  public <T> @Nullable T output(String step, Class<T> type) {
    return output(step, TypeRef.of(type));
  }

  /** Returns the output of a step whose type may be generic; null if it has none. */
  public <T> @Nullable T output(String step, TypeRef<T> type) {
    return decoded(step(step).output(), type);
  }

  /** Returns the payload that a step was given; null if it has none. */
  public <T> @Nullable T input(String step, Class<T> type) {
    return decoded(step(step).input(), TypeRef.of(type));
  }

  private <T> @Nullable T decoded(Optional<String> text, TypeRef<T> type) {
    return text.isEmpty() ? null : tester.codec().decode(text.get(), type);
  }

  /**
   * Returns the child run of a step.
   *
   * @throws AssertionError if it has not started one
   */
  public TestedRun<Object> child(String step) {
    RunId child =
        step(step)
            .child()
            .orElseThrow(() -> new AssertionError("Step '%s' has no child run.".formatted(step)));
    return tester.follow(child, TypeRef.of(Object.class));
  }

  /**
   * Returns the steps whose code was executed, in this order: once for each attempt, with the steps
   * of child runs.
   */
  public List<String> executed() {
    return attempts().stream().map(StepAttempt::step).toList();
  }

  /** Returns the attempts of all steps in the order of execution, with those of child runs. */
  public List<StepAttempt> attempts() {
    List<StepAttempt> attempts = new ArrayList<>();
    for (AttemptScript.Recorded each : tester.recorded()) {
      tester
          .tree()
          .path(id, each.step())
          .ifPresent(path ->
              attempts.add(
                  new StepAttempt(path, each.number(), each.outcome(), each.thrown(), each.at())));
    }
    return attempts;
  }

  /** Returns the attempts of one step. */
  public List<StepAttempt> attempts(String step) {
    return attempts().stream().filter(attempt -> attempt.step().equals(step)).toList();
  }

  static List<RunEvent> events(Holdfast client, RunId id) {
    List<RunEvent> all = new ArrayList<>();
    List<RunEvent> page = client.runs().events(id, Page.first(PAGE));
    while (!page.isEmpty()) {
      all.addAll(page);
      page = client.runs().events(id, Page.after(page.getLast().seq(), PAGE));
    }
    return all;
  }

  /** Returns the events of the run, oldest first. */
  public List<RunEvent> events() {
    return events(tester.client(), id);
  }

  /**
   * Returns how much virtual time has passed from the start of the run to its end, or until now.
   */
  public Duration elapsed() {
    Run run = run();
    Instant until = run.endedAt().orElseGet(tester::now);
    return Duration.between(run.createdAt(), until);
  }

  /** Returns what the run waits for, one line for each step; none if it has ended. */
  public List<String> waitingFor() {
    return tester.time().ask(() -> WaitReport.of(run(), tester.client(), tester.tree()));
  }

  /** Returns the state of the run, and what it waits for. */
  @Override
  public String toString() {
    Run run = run();
    return "%s %s %s".formatted(run.workflow(), run.state(), waitingFor());
  }
}
