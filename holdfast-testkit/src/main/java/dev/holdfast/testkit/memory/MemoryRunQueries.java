package dev.holdfast.testkit.memory;

import dev.holdfast.api.Counts;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.workflow.RunFilter;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.engine.store.Definitions.Stored;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.engine.store.RunQueries;
import dev.holdfast.engine.store.RunRow;
import dev.holdfast.engine.store.StepRef;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads runs. */
final class MemoryRunQueries implements RunQueries {
  private final Tables tables;
  private final RunTables runs;

  MemoryRunQueries(Tables tables) {
    this.tables = tables;
    this.runs = tables.runs;
  }

  @Override
  public Optional<RunRow> find(RunId id) {
    return tables.transaction(now -> Optional.ofNullable(runs.find(id)).map(this::row));
  }

  private RunRow row(StoredRun run) {
    Stored definition = runs.definitions.get(run.definition);
    return run.toRow(definition == null ? "" : definition.hash());
  }

  @Override
  public Optional<RunId> findActive(String workflow, String uniqueKey) {
    return tables.transaction(now ->
        runs.open.values().stream()
            .filter(run -> run.workflow.equals(workflow))
            .filter(run -> run.unique != null && run.unique.value().equals(uniqueKey))
            .map(run -> run.id)
            .findFirst());
  }

  @Override
  public RunRow.Details details(RunId id) {
    return tables.transaction(now -> {
      StoredRun run = runs.find(id);
      return new RunRow.Details(
          ofSteps(id),
          jobs(id, now),
          run == null ? Map.of() : Map.copyOf(run.maps),
          children(id),
          timers(id),
          runs.isMarked(id));
    });
  }

  @Override
  public List<RunPlan.Result> results(RunId id) {
    return tables.transaction(now ->
        runs.resultsOf(id).entrySet().stream()
            .map(entry -> {
              StepResult result = entry.getValue();
              return new RunPlan.Result(
                  entry.getKey().step(),
                  entry.getKey().item(),
                  result.outcome(),
                  result.output(),
                  result.failure());
            })
            .toList());
  }

  private List<RunRow.Result> ofSteps(RunId id) {
    return runs.resultsOf(id).entrySet().stream()
        .filter(entry -> entry.getKey().item() == StepRef.NO_ITEM)
        .map(entry -> entry.getValue().toRow(entry.getKey().step()))
        .toList();
  }

  /** Live jobs come last, so that they replace ended jobs of the same step. */
  private Map<Integer, Job> jobs(RunId id, Instant now) {
    Map<Integer, Job> jobs = new TreeMap<>();
    Stream.of(tables.history, tables.deadLetter, tables.live)
        .flatMap(table -> table.values().stream())
        .forEach(row -> {
          StepRef step = row.step;
          if (step != null && step.run().equals(id) && step.item() == StepRef.NO_ITEM) {
            jobs.put(step.step(), row.toJob(now));
          }
        });
    return jobs;
  }

  private Map<Integer, RunId> children(RunId id) {
    Map<Integer, RunId> children = new TreeMap<>();
    for (StoredRun child : runs.childrenOf(id)) {
      if (child.parent != null) {
        children.put(child.parent.step(), child.id);
      }
    }
    return children;
  }

  private Map<Integer, Instant> timers(RunId id) {
    Map<Integer, Instant> timers = new TreeMap<>();
    runs.timers
        .getOrDefault(id, List.of())
        .forEach(
            timer -> timers.merge(timer.step(), timer.dueAt(), (a, b) -> a.isBefore(b) ? a : b));
    return timers;
  }

  @Override
  public Map<RunId, String> stranded(Collection<RunId> ids) {
    return tables.transaction(now -> {
      Map<RunId, String> reasons = new TreeMap<>();
      ids.forEach(id -> tables.stranding(id).ifPresent(why -> reasons.put(id, why)));
      return reasons;
    });
  }

  @Override
  public List<RunRow> list(RunFilter filter, @Nullable RunId after, int limit) {
    return tables.transaction(now ->
        all(filter)
            .filter(run -> after == null || run.id.compareTo(after) < 0)
            .sorted(Comparator.comparing((StoredRun run) -> run.id).reversed())
            .limit(limit)
            .map(this::row)
            .toList());
  }

  @Override
  public Counts<RunState> count(RunFilter filter, int most) {
    return tables.transaction(now -> {
      BoundedCounts<RunState> counts = new BoundedCounts<>(most);
      all(filter).forEach(run -> counts.add(run.state));
      return counts.read();
    });
  }

  private Stream<StoredRun> all(RunFilter filter) {
    return Stream.of(runs.open, runs.ended)
        .flatMap(table -> table.values().stream())
        .filter(run -> run.passes(filter))
        .filter(run -> !filter.onlyStranded() || tables.stranding(run.id).isPresent());
  }

  @Override
  public List<StoredEvent> events(RunId id, long after, int limit) {
    return tables.transaction(now ->
        runs.events.getOrDefault(id, List.of()).stream()
            .filter(event -> event.seq() > after)
            .limit(limit)
            .toList());
  }
}
