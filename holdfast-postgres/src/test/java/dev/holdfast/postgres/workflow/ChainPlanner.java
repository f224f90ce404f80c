package dev.holdfast.postgres.workflow;

import com.github.f4b6a3.uuid.UuidCreator;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.job.When;
import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.engine.store.Definitions.Stored;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.engine.store.NewRun;
import dev.holdfast.engine.store.RunData;
import dev.holdfast.engine.store.RunFacts;
import dev.holdfast.engine.store.RunMark;
import dev.holdfast.engine.store.RunPhase;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.engine.store.RunPlanner;
import dev.holdfast.engine.store.RunSource;
import dev.holdfast.engine.store.StepRef;
import dev.holdfast.postgres.Drafts;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Plans steps one after the other: each is a job whose payload is the output of the one before. */
class ChainPlanner implements RunPlanner {
  private final Set<Integer> known = new HashSet<>();

  static RunId newId() {
    return new RunId(UuidCreator.getTimeOrderedEpoch());
  }

  /** A run of a chain, whose first step starts at once. */
  static NewRun run(RunId id, int definition, int length) {
    return run(id, definition, length, null, null, null, false);
  }

  static NewRun run(
      RunId id,
      int definition,
      int length,
      @Nullable UniqueKey unique,
      NewRun.@Nullable Gate gate,
      @Nullable StepRef parent,
      boolean mayExist) {
    return new NewRun(
        id,
        mayExist,
        new NewRun.Content(
            definition,
            "chain",
            "\"in\"",
            unique,
            Set.of(),
            null,
            null,
            gate,
            parent,
            null,
            RunSource.NONE,
            List.of()),
        plan(
            RunState.RUNNING,
            "A" + ".".repeat(length - 1),
            null,
            List.of(job(id, 0, "\"in\"")),
            List.of(
                new RunPlan.Event(RunEvent.Kind.CREATED, -1, null),
                new RunPlan.Event(RunEvent.Kind.STEP_STARTED, 0, null))));
  }

  static RunPlan plan(
      RunState state,
      String steps,
      @Nullable String reason,
      List<RunPlan.Job> jobs,
      List<RunPlan.Event> events) {
    return plan(state, steps, reason, jobs, events, null);
  }

  private static RunPlan plan(
      RunState state,
      String steps,
      @Nullable String reason,
      List<RunPlan.Job> jobs,
      List<RunPlan.Event> events,
      @Nullable String result) {
    return new RunPlan(
        state,
        RunPhase.MAIN,
        steps,
        reason,
        jobs,
        List.of(),
        Map.of(),
        List.of(),
        Set.of(),
        Set.of(),
        List.of(),
        Map.of(),
        events,
        result,
        state.hasEnded() ? "\"summary\"" : null,
        false);
  }

  static RunPlan.Job job(RunId run, int step, @Nullable String payload) {
    return job(run, step, StepRef.NO_ITEM, payload);
  }

  static RunPlan.Job job(RunId run, int step, int item, @Nullable String payload) {
    return new RunPlan.Job(
        step,
        item,
        new NewJob(
            new JobId(UuidCreator.getTimeOrderedEpoch()),
            NewJob.IdUse.FRESH,
            When.NOW,
            null,
            new NewJob.Content(
                Drafts.TASK,
                Drafts.QUEUE,
                4,
                payload,
                Set.of(),
                null,
                null,
                new NewJob.Stamp(null, null, null, new StepRef(run, step, item)))));
  }

  @Override
  public boolean knows(int definition) {
    return known.contains(definition);
  }

  @Override
  public void learn(Stored definition) {
    known.add(definition.id());
  }

  @Override
  public RunData.Needs needs(RunFacts facts) {
    int last = facts.steps().indexOf('A');
    return last < 0
        ? RunData.Needs.NOTHING
        : new RunData.Needs(Set.of(last), Set.of(), Set.of(), false, Set.of(), Set.of());
  }

  @Override
  public RunPlan plan(RunFacts facts, RunData data) {
    StringBuilder steps = new StringBuilder(facts.steps());
    List<RunPlan.Event> events = new ArrayList<>();
    @Nullable String output = facts.input();
    for (RunMark mark : facts.marks()) {
      if (mark.kind() == RunMark.Kind.ENDED && steps.charAt(mark.step()) == 'A') {
        boolean succeeded = mark.succeeded() > 0;
        steps.setCharAt(mark.step(), succeeded ? 'S' : mark.failed() > 0 ? 'F' : 'C');
        output =
            data.outputs().get(mark.step()) == null
                ? null
                : data.outputs().get(mark.step()).orElse(null);
        events.add(
            new RunPlan.Event(
                succeeded ? RunEvent.Kind.STEP_SUCCEEDED : RunEvent.Kind.STEP_FAILED,
                mark.step(),
                null));
      }
    }
    String letters = steps.toString();
    int next = letters.indexOf('.');
    boolean active = letters.indexOf('A') >= 0;
    boolean failed = letters.indexOf('F') >= 0 || letters.indexOf('C') >= 0;
    if (facts.state() == RunState.PAUSED || active) {
      return plan(facts.state(), letters, facts.reason(), List.of(), events);
    }
    if (facts.state() == RunState.CANCELLING || failed || next < 0) {
      RunState end =
          facts.state() == RunState.CANCELLING
              ? RunState.CANCELLED
              : failed ? RunState.FAILED : RunState.SUCCEEDED;
      events.add(new RunPlan.Event(RunEvent.Kind.ENDED, -1, end.name()));
      return plan(end, letters, facts.reason(), List.of(), events, output);
    }
    steps.setCharAt(next, 'A');
    events.add(new RunPlan.Event(RunEvent.Kind.STEP_STARTED, next, null));
    return plan(
        RunState.RUNNING,
        steps.toString(),
        facts.reason(),
        List.of(job(facts.id(), next, output)),
        events);
  }
}
