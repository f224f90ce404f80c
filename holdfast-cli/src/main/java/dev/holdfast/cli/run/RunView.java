package dev.holdfast.cli.run;

import dev.holdfast.api.job.FailedAttempt;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.workflow.Run;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.RunStep;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.cli.print.Json;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A run as the commands print it as JSON. */
record RunView(
    String id,
    String workflow,
    String definition,
    RunState state,
    @Nullable String reason,
    @Nullable String label,
    Set<String> tags,
    @Nullable String uniqueKey,
    @Nullable String parent,
    @Nullable String origin,
    Instant createdAt,
    @Nullable Instant endedAt,
    @Nullable Object input,
    @Nullable Object result,
    List<?> steps) {

  /** A step of a run of a list. */
  record BriefStep(String name, String kind, StepState state) {}

  /** A step with all that is known about it. */
  record FullStep(
      String name,
      String label,
      String kind,
      @Nullable String task,
      List<String> after,
      StepState state,
      @Nullable String waitsFor,
      @Nullable String job,
      @Nullable String child,
      @Nullable Instant startedAt,
      @Nullable Instant endedAt,
      int attempts,
      @Nullable Object input,
      @Nullable Object output,
      @Nullable String failure,
      RunStep.@Nullable MapProgress map,
      List<FailedAttempt> failures) {

    private static FullStep of(RunStep step) {
      return new FullStep(
          step.name(),
          step.label(),
          step.kind(),
          step.task().orElse(null),
          step.after(),
          step.state(),
          step.waitsFor().orElse(null),
          step.job().map(JobId::toString).orElse(null),
          step.child().map(RunId::toString).orElse(null),
          step.startedAt().orElse(null),
          step.endedAt().orElse(null),
          step.attempts(),
          Json.encoded(step.input().orElse(null)),
          Json.encoded(step.output().orElse(null)),
          step.failure().orElse(null),
          step.map().orElse(null),
          step.failures());
    }
  }

  /** Returns a run of a list. */
  static RunView brief(Run run) {
    return of(run, step -> new BriefStep(step.name(), step.kind(), step.state()));
  }

  /** Returns a run with all that is known about it. */
  static RunView full(Run run) {
    return of(run, FullStep::of);
  }

  private static RunView of(Run run, Function<RunStep, ?> step) {
    return new RunView(
        run.id().toString(),
        run.workflow(),
        run.definition(),
        run.state(),
        run.reason().orElse(null),
        run.label().orElse(null),
        run.tags(),
        run.uniqueKey().orElse(null),
        run.parent().map(RunId::toString).orElse(null),
        run.origin().map(RunId::toString).orElse(null),
        run.createdAt(),
        run.endedAt().orElse(null),
        Json.encoded(run.input().orElse(null)),
        Json.encoded(run.result().orElse(null)),
        run.steps().stream().map(step).toList());
  }
}
