package dev.holdfast.engine.workflow;

import dev.holdfast.engine.store.NewRun;
import dev.holdfast.engine.store.RunPlan;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;

/** What the first plan of a new run contains, with those of its child runs. */
final class RunPlans {
  private RunPlans() {}

  /** Returns the jobs that the start of a run creates. */
  static Stream<RunPlan.Job> jobs(NewRun run) {
    return Stream.concat(
        run.first().jobs().stream(), run.first().children().stream().flatMap(RunPlans::jobs));
  }

  /** Returns how long it takes until the first timer that the start of a run sets is due. */
  static Optional<Duration> firstTimer(NewRun run) {
    return timers(run).min(Comparator.naturalOrder());
  }

  private static Stream<Duration> timers(NewRun run) {
    return Stream.concat(
        run.first().timers().stream().map(RunPlan.Timer::in),
        run.first().children().stream().flatMap(RunPlans::timers));
  }
}
