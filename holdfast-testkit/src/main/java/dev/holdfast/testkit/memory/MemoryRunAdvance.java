package dev.holdfast.testkit.memory;

import dev.holdfast.api.job.JobState;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.Definitions.Stored;
import dev.holdfast.engine.store.RunAdvance;
import dev.holdfast.engine.store.RunData;
import dev.holdfast.engine.store.RunFacts;
import dev.holdfast.engine.store.RunFacts.MapCounts;
import dev.holdfast.engine.store.RunMark;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.engine.store.RunPlanner;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/**
 * Moves runs forward. Everything is planned before anything is written, because there is no
 * rollback: if a planner fails, the marks are put back.
 */
final class MemoryRunAdvance implements RunAdvance {
  private final Tables tables;
  private final RunTables runs;
  private final PlanWriter plans;
  private final RunReader reader;

  MemoryRunAdvance(Tables tables, PlanWriter plans) {
    this.tables = tables;
    this.runs = tables.runs;
    this.plans = plans;
    this.reader = new RunReader(tables, plans);
  }

  @Override
  public List<RunId> marked(int limit) {
    return tables.transaction(now -> runs.marks.keySet().stream().limit(limit).toList());
  }

  @Override
  public Report advance(Collection<RunId> ids, RunPlanner planner) {
    return tables.transaction(now -> {
      List<StoredRun> locked = lock(ids);
      Map<RunId, List<RunMark>> marks = deleteMarks(locked);
      Map<RunId, Map<Integer, MapCounts>> before = countsOf(locked);
      count(locked, marks);
      List<RunPlan> planned;
      try {
        planned = plan(locked, marks, planner);
      } catch (RuntimeException | Error failure) {
        runs.marks.putAll(marks);
        locked.forEach(run -> run.maps.putAll(before.getOrDefault(run.id, Map.of())));
        throw failure;
      }
      return write(locked, planned, now);
    });
  }

  private List<StoredRun> lock(Collection<RunId> ids) {
    return new TreeSet<>(ids)
        .stream()
            .map(runs.open::get)
            .filter(Objects::nonNull)
            .filter(run -> run.state != RunState.QUEUED && runs.isMarked(run.id))
            .toList();
  }

  private Map<RunId, List<RunMark>> deleteMarks(List<StoredRun> locked) {
    Map<RunId, List<RunMark>> marks = new TreeMap<>();
    for (StoredRun run : locked) {
      List<RunMark> deleted = runs.marks.remove(run.id);
      marks.put(run.id, deleted == null ? new ArrayList<>() : deleted);
    }
    return marks;
  }

  private static Map<RunId, Map<Integer, MapCounts>> countsOf(List<StoredRun> locked) {
    Map<RunId, Map<Integer, MapCounts>> counts = new TreeMap<>();
    locked.forEach(run -> counts.put(run.id, Map.copyOf(run.maps)));
    return counts;
  }

  private void count(List<StoredRun> locked, Map<RunId, List<RunMark>> marks) {
    for (StoredRun run : locked) {
      marks.getOrDefault(run.id, List.of()).forEach(mark -> runs.count(run, mark));
    }
  }

  private List<RunPlan> plan(
      List<StoredRun> locked, Map<RunId, List<RunMark>> marks, RunPlanner planner) {
    List<RunPlan> planned = new ArrayList<>();
    for (StoredRun run : locked) {
      RunFacts facts = facts(run, marks.getOrDefault(run.id, List.of()));
      teach(planner, run.definition);
      planned.add(planner.plan(facts, read(run, facts, planner)));
    }
    return planned;
  }

  private static RunFacts facts(StoredRun run, List<RunMark> marks) {
    return new RunFacts(
        run.id,
        run.definition,
        run.state,
        run.phase,
        run.steps,
        run.input,
        run.reason,
        run.priority,
        run.stack,
        run.bytes,
        marks,
        run.maps);
  }

  private void teach(RunPlanner planner, int definition) {
    Stored stored = runs.definitions.get(definition);
    if (stored != null && !planner.knows(definition)) {
      planner.learn(stored);
    }
  }

  private RunData read(StoredRun run, RunFacts facts, RunPlanner planner) {
    RunData.Needs needs = planner.needs(facts);
    Set<String> unknown = needs.definitions();
    if (!unknown.isEmpty()) {
      runs.definitions.values().stream()
          .filter(stored -> unknown.contains(stored.hash()))
          .forEach(planner::learn);
      needs = planner.needs(facts);
    }
    return reader.read(run, needs);
  }

  private Report write(List<StoredRun> locked, List<RunPlan> planned, Instant now) {
    RunEffects effects = new RunEffects();
    for (int i = 0; i < locked.size(); i++) {
      plans.write(locked.get(i), planned.get(i), effects, now);
    }
    Map<RunId, Long> seqs = new TreeMap<>();
    locked.stream()
        .filter(run -> runs.open.containsKey(run.id))
        .forEach(run -> seqs.put(run.id, runs.lastEvent(run.id)));
    return effects.report(locked.size(), seqs);
  }

  @Override
  public Set<ClaimId> express(UUID incarnation, List<Express> steps) {
    steps.forEach(step -> StorableText.require(step.finish()));
    return tables.transaction(now -> {
      Set<ClaimId> done = new LinkedHashSet<>();
      for (Express step : steps) {
        StoredRun run = runs.open.get(step.run());
        JobRow row = tables.heldBy(incarnation, step.finish().claim());
        if (run != null
            && run.state == RunState.RUNNING
            && runs.lastEvent(run.id) == step.seq()
            && row != null
            && row.state == JobState.RUNNING
            && row.step != null
            && row.step.run().equals(run.id)) {
          row.finishedToken = row.token;
          row.output = step.finish().result();
          row.result = step.finish().result();
          tables.endAdvanced(row, now);
          plans.write(run, step.plan(), new RunEffects(), now);
          done.add(step.finish().claim());
        }
      }
      return done;
    });
  }

  @Override
  public Timers fireTimers(int limit) {
    return tables.transaction(now -> {
      Set<RunId> fired = new TreeSet<>();
      List<Due> due = timers().stream().filter(timer -> !timer.at().isAfter(now)).toList();
      due.stream()
          .limit(limit)
          .forEach(timer -> {
            fire(timer);
            fired.add(timer.run());
          });
      return new Timers(fired, due.size() >= limit, next(now), !runs.open.isEmpty());
    });
  }

  private record Due(RunId run, RunTables.Timer timer) {
    Instant at() {
      return timer.dueAt();
    }
  }

  private List<Due> timers() {
    List<Due> all = new ArrayList<>();
    runs.timers.forEach((run, timers) -> timers.forEach(timer -> all.add(new Due(run, timer))));
    all.sort(Comparator.comparing(Due::at));
    return all;
  }

  private void fire(Due due) {
    runs.timers.computeIfPresent(
        due.run(),
        (run, timers) -> {
          timers.remove(due.timer());
          return timers.isEmpty() ? null : timers;
        });
    runs.mark(due.run(), RunMark.of(due.timer().kind(), due.timer().step()));
  }

  private Optional<Duration> next(Instant now) {
    return timers().stream()
        .findFirst()
        .map(due -> due.at().isBefore(now) ? Duration.ZERO : Duration.between(now, due.at()));
  }
}
