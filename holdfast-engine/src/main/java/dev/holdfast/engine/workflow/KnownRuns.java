package dev.holdfast.engine.workflow;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.codec.Utf8Length;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.NewRun;
import dev.holdfast.engine.store.RunAdvance;
import dev.holdfast.engine.store.RunData;
import dev.holdfast.engine.store.RunFacts;
import dev.holdfast.engine.store.RunMark;
import dev.holdfast.engine.store.RunPhase;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.engine.store.StepRef;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The runs that this node started, advanced or claimed steps of, as they were then. From them it
 * plans what follows the success of a step before the success is stored, see {@link
 * RunAdvance#express}. An outdated plan does no harm: the store compares the number of the last
 * event of the run.
 *
 * <p>Runs with maps are not kept, because their counters change without events, nor are retried
 * ones whose steps may continue with the jobs that they had before. Only a limited number of runs
 * is kept, and only small ones; the others are advanced by the {@link Advancer}.
 */
final class KnownRuns {
  private static final Logger log = LoggerFactory.getLogger(KnownRuns.class);
  private static final int MOST_RUNS = 4_000;
  private static final int MOST_CHARS = 8_000;
  private static final long MOST_CHARS_OF_ALL = 8_000_000;
  private static final int MOST_JOBS = 20;

  private final GraphPlanner planner;
  private final Map<RunId, Known> runs = new LinkedHashMap<>(16, 0.75f, true);
  private final Map<JobId, RunId> runOfJob = new HashMap<>();
  private long chars;
  private volatile boolean kept;

  /**
   * A run.
   *
   * @param facts without marks
   * @param seq the number of its last event
   * @param outputs the outputs that are known, by step
   * @param jobs the steps of jobs that have not ended
   * @param child whether another run is known to wait for its end
   */
  private record Known(
      RunFacts facts,
      long seq,
      Map<Integer, Optional<String>> outputs,
      Map<JobId, Integer> jobs,
      boolean child) {}

  KnownRuns(GraphPlanner planner) {
    this.planner = planner;
  }

  /** Keeps runs from now on. A client that belongs to no node need not. */
  void keep() {
    kept = true;
  }

  /** Learns a run that was started here. */
  void started(NewRun run) {
    RunPlan first = run.first();
    if (run.content().inherited().isEmpty()) {
      RunFacts facts =
          new RunFacts(
              run.id(),
              run.content().definition(),
              RunState.RUNNING,
              RunPhase.MAIN,
              first.steps(),
              run.content().input(),
              null,
              run.content().priority(),
              run.content().source(),
              0,
              List.of(),
              Map.of(),
              Map.of());
      learn(facts, RunData.NONE, first, first.events().size());
    }
  }

  /**
   * Learns a run that was advanced here.
   *
   * @param before the run as the plan found it
   * @param seq the number of its last event after the plan was carried out
   */
  synchronized void learn(RunFacts before, RunData data, RunPlan plan, long seq) {
    Known known = runs.get(before.id());
    forget(before.id());
    if (!kept || !isKept(before, plan)) {
      return;
    }
    Map<Integer, Optional<String>> outputs = new HashMap<>();
    Map<JobId, Integer> jobs = new HashMap<>();
    if (known != null && known.seq == seq - plan.events().size()) { // Nothing came in between.
      outputs.putAll(known.outputs);
      jobs.putAll(known.jobs);
    }
    outputs.putAll(data.outputs());
    for (RunPlan.Job job : plan.jobs()) {
      jobs.put(job.job().id(), job.step());
    }
    put(new Known(after(before, plan), seq, outputs, jobs, known != null && known.child));
  }

  /** Returns those of the jobs that execute steps, not elements of maps, of runs not known. */
  synchronized List<JobId> unknown(List<ClaimedJob> jobs) {
    List<JobId> unknown = new ArrayList<>();
    for (ClaimedJob job : jobs) {
      StepRef step = job.step();
      if (kept && step != null && step.item() == StepRef.NO_ITEM && !contains(job.id())) {
        unknown.add(job.id());
      }
    }
    return unknown;
  }

  /** Learns a run that was read. */
  synchronized void learn(RunAdvance.Seen seen) {
    Known known = runs.get(seen.facts().id());
    if (known != null && known.seq > seen.seq()) {
      return; // It was advanced here after it was read.
    }
    forget(seen.facts().id());
    Map<JobId, Integer> all = new HashMap<>(seen.jobs());
    Map<Integer, Optional<String>> outputs = Map.of();
    if (known != null && known.seq == seen.seq()) {
      all.putAll(known.jobs);
      outputs = known.outputs;
    }
    put(new Known(seen.facts(), seen.seq(), outputs, all, seen.child()));
  }

  private static boolean isKept(RunFacts before, RunPlan plan) {
    return plan.state() == RunState.RUNNING
        && plan.phase() == RunPhase.MAIN
        && plan.reason() == null
        && !plan.more()
        && before.maps().isEmpty()
        && before.former().isEmpty()
        && plan.maps().isEmpty()
        && plan.results().isEmpty();
  }

  private static RunFacts after(RunFacts before, RunPlan plan) {
    return facts(before, plan.steps(), before.bytes(), List.of());
  }

  private static RunFacts facts(RunFacts run, String steps, long bytes, List<RunMark> marks) {
    return new RunFacts(
        run.id(),
        run.definition(),
        RunState.RUNNING,
        RunPhase.MAIN,
        steps,
        run.input(),
        null,
        run.priority(),
        run.source(),
        bytes,
        marks,
        Map.of(),
        Map.of());
  }

  private void put(Known known) {
    known.jobs.values().removeIf(step -> !isActive(known.facts, step));
    if (known.jobs.isEmpty() || size(known) > MOST_CHARS) {
      return;
    }
    RunId id = known.facts.id();
    runs.put(id, known);
    chars += size(known);
    known.jobs.keySet().forEach(job -> runOfJob.put(job, id));
    while (runs.size() > MOST_RUNS || chars > MOST_CHARS_OF_ALL) {
      forget(runs.keySet().iterator().next());
    }
  }

  private static boolean isActive(RunFacts facts, int step) {
    return facts.steps().charAt(step) == StepState.ACTIVE.letter();
  }

  private static int size(Known known) {
    int size =
        known.facts.steps().length()
            + length(known.facts.input())
            + length(known.facts.source().startedBy());
    for (Optional<String> output : known.outputs.values()) {
      size += length(output.orElse(null));
    }
    return size;
  }

  private static int length(@Nullable String text) {
    return text == null ? 0 : text.length();
  }

  /** Returns whether this job executes a step of a run that is known. */
  synchronized boolean contains(JobId job) {
    return runOfJob.containsKey(job);
  }

  /** Forgets a run, because it may have changed. */
  synchronized void forget(RunId run) {
    Known known = runs.remove(run);
    if (known != null) {
      chars -= size(known);
      known.jobs.keySet().forEach(runOfJob::remove);
    }
  }

  /** What follows a success, with what it was planned from. */
  record Next(RunAdvance.Express step, RunFacts facts, RunData data) {}

  /** Plans what follows a success; null if that must be left to an advance. */
  @Nullable Next next(Finish.Succeeded success) {
    Known known;
    Integer step;
    synchronized (this) {
      RunId run = runOfJob.get(success.claim().id());
      known = run == null ? null : runs.get(run);
      step = known == null ? null : known.jobs.get(success.claim().id());
    }
    if (known == null || step == null) {
      return null;
    }
    try {
      return next(success, known, step);
    } catch (RuntimeException failure) {
      log.debug("Run {} could not be planned ahead", known.facts.id(), failure);
      return null;
    }
  }

  private @Nullable Next next(Finish.Succeeded success, Known known, int step) {
    String output = success.result();
    RunFacts facts =
        facts(
            known.facts,
            known.facts.steps(),
            known.facts.bytes() + (output == null ? 0 : Utf8Length.bytes(output)),
            List.of(new RunMark(RunMark.Kind.ENDED, step, 1, 0, 0)));
    if (LargeRuns.isLarge(facts)) {
      return null; // An advance warns of it.
    }
    Map<Integer, Optional<String>> outputs = new HashMap<>(known.outputs);
    outputs.put(step, Optional.ofNullable(output));
    RunPlan plan = planner.planFrom(facts, outputs);
    if (plan == null || !isSimple(plan)) {
      return null;
    }
    if (RunAdvance.Express.isLast(plan) && othersWaitFor(known)) {
      return null; // An advance tells them.
    }
    return new Next(
        new RunAdvance.Express(success, facts.id(), known.seq, plan),
        facts,
        RunData.ofOutputs(outputs));
  }

  /** Returns whether the run that started it, or runs behind its gate, may wait for its end. */
  private boolean othersWaitFor(Known known) {
    return known.child || planner.graph(known.facts.definition()).maxActive() != null;
  }

  private static boolean isSimple(RunPlan plan) {
    return (RunAdvance.Express.isExpress(plan) || RunAdvance.Express.isLast(plan))
        && plan.jobs().size() <= MOST_JOBS
        && plan.jobs().stream().allMatch(job -> job.item() == StepRef.NO_ITEM);
  }

  /** Learns that the plan of a step was carried out. */
  void advanced(Next next) {
    RunPlan plan = next.step.plan();
    learn(next.facts, next.data, plan, next.step.seq() + plan.events().size());
  }
}
