package dev.holdfast.testkit.memory;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Definitions.Stored;
import dev.holdfast.engine.store.RunAdvance;
import dev.holdfast.engine.store.RunData;
import dev.holdfast.engine.store.RunFacts;
import dev.holdfast.engine.store.RunFacts.FormerJob;
import dev.holdfast.engine.store.RunFacts.MapCounts;
import dev.holdfast.engine.store.RunMark;
import dev.holdfast.engine.store.RunPhase;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.engine.store.RunPlanner;
import dev.holdfast.engine.store.StartHere;
import dev.holdfast.engine.store.StepRef;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * Moves runs forward, in the statements that a database would use: lock, read marks, read what the
 * planner needs, write. Only the last one changes anything but locks, so there is nothing to roll
 * back.
 */
final class MemoryRunAdvance implements RunAdvance {
  private final Tables tables;
  private final StartedSteps starts;
  private final RunTables runs;
  private final PlanWriter plans;
  private final RunReader reader;

  MemoryRunAdvance(Tables tables, PlanWriter plans) {
    this.tables = tables;
    this.runs = tables.runs;
    this.plans = plans;
    this.starts = new StartedSteps(tables);
    this.reader = new RunReader(tables, plans);
  }

  @Override
  public List<RunId> marked(int limit) {
    return tables.transaction(now -> runs.marks.keySet().stream().limit(limit).toList());
  }

  @Override
  public Report advance(Collection<RunId> ids, RunPlanner planner) {
    return tables.statements(() -> {
      NavigableMap<RunId, StoredRun> locked = tables.transaction(now -> lock(ids));
      try {
        tables.nextStatement();
        Map<RunId, RunFacts> facts = tables.transaction(now -> facts(locked));
        tables.nextStatement();
        List<Planned> planned = tables.transaction(now -> plan(locked, facts, planner));
        tables.nextStatement();
        return tables.whenUnlocked(() -> isBlocked(planned), now -> commit(ids, planned, now));
      } finally {
        tables.transaction(now -> runs.locked.removeAll(locked.keySet()));
      }
    });
  }

  @Override
  public List<Seen> look(Collection<JobId> jobs, RunPlanner planner) {
    return tables.transaction(now -> {
      Map<RunId, Map<JobId, Integer>> steps = new TreeMap<>();
      for (JobId id : jobs) {
        JobRow row = tables.live.get(id);
        StepRef step = row == null ? null : row.step;
        if (step != null && step.item() == StepRef.NO_ITEM) {
          steps.computeIfAbsent(step.run(), run -> new HashMap<>()).put(id, step.step());
        }
      }
      List<Seen> seen = new ArrayList<>();
      steps.forEach((id, of) -> {
        StoredRun run = runs.open.get(id);
        if (run != null
            && run.state == RunState.RUNNING
            && run.phase == RunPhase.MAIN
            && !run.retried
            && !runs.isMarked(id)
            && run.maps.isEmpty()) {
          teach(planner, run.definition);
          seen.add(new Seen(facts(run, List.of()), runs.lastEvent(id), of, run.parent != null));
        }
      });
      return seen;
    });
  }

  /** A run that is locked, what was read of it, and how it continues. */
  private record Planned(StoredRun run, RunFacts facts, RunPlan plan) {}

  private NavigableMap<RunId, StoredRun> lock(Collection<RunId> ids) {
    NavigableMap<RunId, StoredRun> found = new TreeMap<>();
    for (RunId id : ids) {
      StoredRun run = runs.open.get(id);
      if (run != null
          && run.state != RunState.QUEUED
          && runs.isMarked(id)
          && !runs.locked.contains(id)) {
        found.put(id, run);
      }
    }
    runs.locked.addAll(found.keySet());
    return found;
  }

  private Map<RunId, RunFacts> facts(NavigableMap<RunId, StoredRun> locked) {
    Map<RunId, RunFacts> facts = new TreeMap<>();
    locked.forEach((id, run) -> {
      List<RunMark> marks = runs.marks.getOrDefault(id, List.of());
      if (!marks.isEmpty()) { // Otherwise another call took them between the two statements.
        facts.put(id, facts(run, marks));
      }
    });
    return facts;
  }

  private List<Planned> plan(
      NavigableMap<RunId, StoredRun> locked, Map<RunId, RunFacts> read, RunPlanner planner) {
    List<Planned> planned = new ArrayList<>();
    locked.forEach((id, run) -> {
      RunFacts facts = read.get(id);
      if (facts != null) {
        teach(planner, run.definition);
        planned.add(new Planned(run, facts, planner.plan(facts, read(run, facts, planner))));
      }
    });
    return planned;
  }

  /** Returns whether a plan stops or pauses a child run that another call advances. */
  private boolean isBlocked(List<Planned> planned) {
    Set<RunId> own = new TreeSet<>();
    planned.forEach(each -> own.add(each.run.id));
    return planned.stream()
        .anyMatch(each ->
            (!each.plan.stopped().isEmpty() || each.plan.state() == RunState.PAUSED)
                && runs.isLocked(each.run, own));
  }

  /** Deletes the marks that were read, and carries out the plans. */
  private Report commit(Collection<RunId> ids, List<Planned> planned, Instant now) {
    RunEffects effects = new RunEffects();
    Map<StoredRun, RunPlan> byRun = new LinkedHashMap<>();
    for (Planned each : planned) {
      runs.unmark(each.run.id, each.facts.marks().size());
      each.run.maps.putAll(each.facts.maps());
      byRun.put(each.run, each.plan);
    }
    plans.carryOut(byRun, effects, now);
    Map<RunId, Long> seqs = new TreeMap<>();
    planned.stream()
        .map(each -> each.run.id)
        .filter(runs.open::containsKey)
        .forEach(id -> seqs.put(id, runs.lastEvent(id)));
    return effects.report(planned.size(), left(ids, planned), seqs);
  }

  /** Returns the runs that have marks, although this call has not advanced them. */
  private Set<RunId> left(Collection<RunId> ids, List<Planned> planned) {
    Set<RunId> left = new TreeSet<>(ids);
    planned.forEach(each -> left.remove(each.run.id));
    left.removeIf(id -> !runs.isMarked(id));
    return left;
  }

  private RunFacts facts(StoredRun run, List<RunMark> marks) {
    return new RunFacts(
        run.id,
        run.definition,
        run.state,
        run.phase,
        run.steps,
        run.input,
        run.reason,
        run.priority,
        run.source,
        run.bytes,
        marks,
        counted(run.maps, marks),
        run.retried ? former(run) : Map.of());
  }

  /** Returns the jobs that steps may continue. A cancelled one is of interest for its journal. */
  private Map<Integer, FormerJob> former(StoredRun run) {
    Map<Integer, FormerJob> former = new TreeMap<>();
    Stream.concat(
            tables.history.values().stream()
                .filter(row -> row.state == JobState.CANCELLED && !row.journal.isEmpty()),
            tables.deadLetter.values().stream())
        .forEach(row -> {
          StepRef step = row.step;
          if (step != null && step.run().equals(run.id) && step.item() == StepRef.NO_ITEM) {
            former.put(step.step(), new FormerJob(row.id, row.task, row.payload));
          }
        });
    return former;
  }

  /** Returns the counts of maps with those of the marks added. */
  private static Map<Integer, MapCounts> counted(
      Map<Integer, MapCounts> maps, List<RunMark> marks) {
    Map<Integer, MapCounts> counted = new TreeMap<>(maps);
    for (RunMark mark : marks) {
      counted.computeIfPresent(
          mark.step(),
          (step, counts) ->
              new MapCounts(
                  counts.total(),
                  counts.inserted(),
                  counts.succeeded() + mark.succeeded(),
                  counts.failed() + mark.failed(),
                  counts.cancelled() + mark.cancelled()));
    }
    return counted;
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

  @Override
  public Expressed express(UUID incarnation, List<Express> steps, StartHere here) {
    steps.forEach(step -> StorableText.require(step.finish()));
    return tables.transaction(now -> {
      Set<ClaimId> done = new LinkedHashSet<>();
      List<ClaimedJob> started = new ArrayList<>();
      for (Express step : steps) {
        StoredRun run = runs.open.get(step.run());
        JobRow row = tables.heldBy(incarnation, step.finish().claim());
        if (run != null
            && run.state == RunState.RUNNING
            && !runs.locked.contains(run.id)
            && runs.lastEvent(run.id) == step.seq()
            && (!step.ends() || (run.parent == null && run.gate == null))
            && row != null
            && row.state == JobState.RUNNING
            && row.step != null
            && row.step.run().equals(run.id)) {
          row.finishedToken = row.token;
          row.output = step.finish().result();
          row.result = step.finish().result();
          tables.endAdvanced(row, now);
          plans.carryOut(Map.of(run, step.plan()), new RunEffects(), now);
          done.add(step.finish().claim());
          started.addAll(starts.start(step.plan().jobs(), here, now));
        }
      }
      return new Expressed(done, started);
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
