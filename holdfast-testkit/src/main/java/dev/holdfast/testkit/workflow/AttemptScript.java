package dev.holdfast.testkit.workflow;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.run.AttemptInterceptor;
import dev.holdfast.engine.run.Parked;
import dev.holdfast.engine.store.StepRef;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs around every attempt: fails it or crashes its node if the test wants that, and records it.
 */
final class AttemptScript implements AttemptInterceptor {

  /** Ends the code of a node that has died. It is an error, so that handlers do not catch it. */
  static final class SimulatedCrash extends Error {
    private static final long serialVersionUID = 1L;

    SimulatedCrash() {
      super("The node was killed by the test: do not catch this.", null, false, false);
    }
  }

  /** An attempt of a job that executes a step of a run. */
  record Recorded(
      StepRef step,
      int number,
      StepAttempt.Outcome outcome,
      @Nullable Throwable thrown,
      Instant at) {}

  /**
   * A handler that ran for too long, and was interrupted.
   *
   * @param what what it did, such as "step 'pack' of run 0197… (task orders::pack)"
   * @param where has the stack trace of the moment in which it was interrupted
   */
  record Blocked(String what, Throwable where) {}

  private record Failures(int left, Exception failure) {}

  private final Supplier<Instant> now;
  private final Function<JobId, Optional<StepRef>> stepOf;
  private final Function<StepRef, String> names;
  private final Runnable kill;
  private final RealTimeLimit limit = new RealTimeLimit();
  private final Map<String, Failures> failures = new HashMap<>();
  private final Map<String, Integer> crashesBefore = new HashMap<>();
  private final Map<String, Integer> crashesAfter = new HashMap<>();
  private final List<Recorded> recorded = new ArrayList<>();
  private boolean crashed;
  private @Nullable Blocked blocked;

  AttemptScript(
      Supplier<Instant> now,
      Function<JobId, Optional<StepRef>> stepOf,
      Function<StepRef, String> names,
      Runnable kill) {
    this.now = now;
    this.stepOf = stepOf;
    this.names = names;
    this.kill = kill;
  }

  RealTimeLimit limit() {
    return limit;
  }

  /** Returns the handler that has ended the current call because it took too long. */
  Optional<Blocked> blocked() {
    return Optional.ofNullable(blocked);
  }

  /** Forgets what happened in an earlier call. */
  void startCall() {
    blocked = null;
  }

  void failTimes(String task, int times, Exception failure) {
    failures.put(task, new Failures(times, failure));
  }

  void crashBefore(String step) {
    crashesBefore.merge(step, 1, Integer::sum);
  }

  void crashAfter(String step) {
    crashesAfter.merge(step, 1, Integer::sum);
  }

  /** Lets the node die during the attempt that is running. */
  SimulatedCrash crash() {
    crashed = true;
    kill.run();
    return new SimulatedCrash();
  }

  List<Recorded> recorded() {
    return List.copyOf(recorded);
  }

  @Override
  public @Nullable Object intercept(Attempt attempt) throws Exception {
    Optional<StepRef> step = stepOf.apply(attempt.context().jobId());
    Instant start = now.get();
    crashed = false;
    Throwable thrown = null;
    try {
      return run(attempt, step);
    } catch (Throwable failure) {
      thrown = failure;
      throw failure;
    } finally {
      if (step.isPresent()) {
        recorded.add(
            new Recorded(step.get(), attempt.context().attempt(), outcome(thrown), thrown, start));
      }
    }
  }

  private @Nullable Object run(Attempt attempt, Optional<StepRef> ref) throws Exception {
    String step = ref.map(names).orElse("");
    if (take(crashesBefore, step)) {
      throw crash();
    }
    failIfAsked(attempt.context().task());
    Object result = proceed(attempt, ref);
    if (take(crashesAfter, step)) {
      throw crash();
    }
    return result;
  }

  /** Calls the handler. If it takes too long, the node dies, so that nothing else runs. */
  private @Nullable Object proceed(Attempt attempt, Optional<StepRef> step) throws Exception {
    RealTimeLimit.Watch watch = limit.watch();
    Object result;
    try {
      result = attempt.proceed();
    } catch (Throwable failure) {
      end(watch, attempt, step);
      throw failure;
    }
    end(watch, attempt, step);
    return result;
  }

  private void end(RealTimeLimit.Watch watch, Attempt attempt, Optional<StepRef> step) {
    Optional<StackTraceElement[]> at = watch.end();
    if (at.isPresent()) {
      blocked = blocked(attempt, step, at.get());
      throw crash();
    }
  }

  private Blocked blocked(Attempt attempt, Optional<StepRef> step, StackTraceElement[] at) {
    String task = attempt.context().task();
    String what =
        step.map(
                ref -> "step '%s' of run %s (task %s)".formatted(names.apply(ref), ref.run(), task))
            .orElse("job %s (task %s)".formatted(attempt.context().jobId(), task));
    Throwable where = new IllegalStateException("The handler of %s blocked here.".formatted(what));
    where.setStackTrace(at);
    return new Blocked(what, where);
  }

  private void failIfAsked(String task) throws Exception {
    Failures planned = failures.get(task);
    if (planned != null && planned.left() > 0) {
      failures.put(task, new Failures(planned.left() - 1, planned.failure()));
      throw planned.failure();
    }
  }

  private static boolean take(Map<String, Integer> crashes, String step) {
    Integer left = crashes.get(step);
    if (left == null) {
      return false;
    }
    if (left == 1) {
      crashes.remove(step);
    } else {
      crashes.put(step, left - 1);
    }
    return true;
  }

  private StepAttempt.Outcome outcome(@Nullable Throwable thrown) {
    if (crashed) {
      return StepAttempt.Outcome.CRASHED;
    }
    if (thrown == null) {
      return StepAttempt.Outcome.RETURNED;
    }
    return thrown instanceof Parked ? StepAttempt.Outcome.WAITS : StepAttempt.Outcome.THREW;
  }
}
