package dev.holdfast.engine.workflow;

import dev.holdfast.api.job.FailedAttempt;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunStep;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.store.RunData;
import dev.holdfast.engine.store.RunFacts;
import dev.holdfast.engine.store.RunRow;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A {@link RunStep}: a node of the graph with what the store knows about it.
 *
 * @param stored the job that executes or executed it; null if there is none, or it is no longer
 *     kept
 * @param result its result; null while it has none
 * @param counts the jobs of a map; null for other steps
 * @param childRun its child run; null for none
 * @param waiting why it has not started or ended; null if it has ended
 */
record StepSnapshot(
    Graph graph,
    int position,
    StepState state,
    @Nullable Job stored,
    RunRow.@Nullable Result result,
    RunFacts.@Nullable MapCounts counts,
    @Nullable RunId childRun,
    @Nullable String waiting)
    implements RunStep {

  private Graph.Node node() {
    return graph.steps().get(position);
  }

  @Override
  public String name() {
    return node().name();
  }

  @Override
  public String label() {
    String label = node().label();
    return label == null ? name() : label;
  }

  @Override
  public String kind() {
    return switch (node().work()) {
      case Graph.Work.Task task ->
          node().part() == Graph.Part.COMPENSATION ? "compensation" : "task";
      case Graph.Work.Map map -> "map";
      case Graph.Work.Child child -> "workflow";
      case Graph.Work.Sleep sleep -> "sleep";
      case Graph.Work.Signal signal -> "signal";
    };
  }

  @Override
  public Optional<String> task() {
    return switch (node().work()) {
      case Graph.Work.Task task -> Optional.of(task.job().task());
      case Graph.Work.Map map -> Optional.of(map.job().task());
      case Graph.Work.Child child -> Optional.empty();
      case Graph.Work.Sleep sleep -> Optional.empty();
      case Graph.Work.Signal signal -> Optional.empty();
    };
  }

  @Override
  public List<String> after() {
    return node().after().stream().map(other -> graph.steps().get(other).name()).toList();
  }

  @Override
  public Optional<JobId> job() {
    if (stored != null) {
      return Optional.of(stored.id());
    }
    return Optional.ofNullable(result).map(RunRow.Result::job);
  }

  @Override
  public Optional<RunId> child() {
    return Optional.ofNullable(childRun);
  }

  @Override
  public Optional<Instant> startedAt() {
    if (stored != null && stored.startedAt() != null) {
      return Optional.of(stored.startedAt());
    }
    return Optional.ofNullable(result).map(RunRow.Result::startedAt);
  }

  @Override
  public Optional<Instant> endedAt() {
    return Optional.ofNullable(result).map(RunRow.Result::finishedAt);
  }

  @Override
  public int attempts() {
    if (result != null) {
      return result.attempt();
    }
    return stored == null ? 0 : stored.attempt();
  }

  @Override
  public List<FailedAttempt> failures() {
    return stored == null ? List.of() : stored.failures();
  }

  @Override
  public Optional<String> input() {
    return Optional.ofNullable(stored).map(Job::payload);
  }

  @Override
  public Optional<String> output() {
    return Optional.ofNullable(result).map(RunRow.Result::output);
  }

  @Override
  public Optional<String> failure() {
    return Optional.ofNullable(result).map(RunRow.Result::failure).map(RunData.Failure::describe);
  }

  @Override
  public Optional<MapProgress> map() {
    return Optional.ofNullable(counts)
        .map(c -> new MapProgress(c.total(), c.succeeded(), c.failed(), c.cancelled()));
  }

  @Override
  public Optional<String> waitsFor() {
    return Optional.ofNullable(waiting);
  }
}
