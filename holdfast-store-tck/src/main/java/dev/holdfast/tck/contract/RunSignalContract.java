package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.workflow.MaxActive.OnFull;
import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.Started.Outcome;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.engine.store.RunControl;
import dev.holdfast.engine.store.RunData;
import dev.holdfast.engine.store.RunIntake.Admission;
import dev.holdfast.engine.store.RunIntake.NewSignal;
import dev.holdfast.engine.store.RunMark;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.engine.store.RunQueries;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Signals to runs. */
public abstract class RunSignalContract extends RunContract {
  private static final RunData.Needs APPROVAL =
      new RunData.Needs(Set.of(), Set.of(), Set.of("approval"), false, Set.of(), Set.of());

  private static NewSignal approval(String id) {
    return new NewSignal("approval", id, "\"%s\"".formatted(id));
  }

  private RunControl.Result send(RunId run, String id) {
    return runs.control().signal(run, approval(id));
  }

  private RunId startWaiting() {
    return start(chain(2).first(plan -> plan.letter(0, StepState.WAITING)));
  }

  private Map<String, RunData.Signal> signals(RunId id) {
    planner.needs(APPROVAL).script((facts, data) -> ScriptedPlanner.applied(facts).build());
    advance(id);
    return planner.lastData().signals();
  }

  private RunData.Signal approvalSeenBy(RunId id) {
    signals(id);
    return approvalIn(planner.lastData());
  }

  private static RunData.Signal approvalIn(RunData data) {
    return Optional.ofNullable(data.signals().get("approval")).orElseThrow();
  }

  @Test
  void aSignalLeavesAMarkAndReachesThePlanner() {
    RunId id = startWaiting();

    RunControl.Result result = send(id, "a");

    assertThat(result.done()).isTrue();
    assertThat(result.look()).containsExactly(id);
    assertThat(runs.advance().marked(PLENTY)).containsExactly(id);
    assertThat(signals(id))
        .isEqualTo(Map.of("approval", new RunData.Signal("approval", "a", "\"a\"")));
    assertThat(planner.lastFacts().marks())
        .extracting(RunMark::kind)
        .containsExactly(RunMark.Kind.LOOK);
  }

  @Test
  void aSignalIsAnEventOfTheRun() {
    RunId id = startWaiting();
    send(id, "a");
    send(id, "a");
    runs.control().signal(id, new NewSignal("other", "a", null));
    planner.script(
        (facts, data) -> ScriptedPlanner.applied(facts).event(RunEvent.Kind.FINALLY, -1).build());
    advance(id);

    List<RunQueries.StoredEvent> events = runs.queries().events(id, 0, PLENTY);

    assertThat(events)
        .extracting(RunQueries.StoredEvent::event)
        .containsExactly(
            new RunPlan.Event(RunEvent.Kind.CREATED, -1, null),
            new RunPlan.Event(RunEvent.Kind.SIGNALLED, -1, "approval"),
            new RunPlan.Event(RunEvent.Kind.SIGNALLED, -1, "other"),
            new RunPlan.Event(RunEvent.Kind.FINALLY, -1, null));
    assertThat(events).extracting(RunQueries.StoredEvent::seq).containsExactly(1L, 2L, 3L, 4L);
  }

  @Test
  void aSignalToARunThatWasStartedWithItIsAnEventToo() {
    RunDraft draft = chain(2).first(plan -> plan.letter(0, StepState.WAITING));
    runs.intake().start(draft.build(), approval("a"));

    assertThat(runs.queries().events(draft.id(), 0, PLENTY))
        .extracting(event -> event.event().kind())
        .containsExactly(RunEvent.Kind.CREATED, RunEvent.Kind.SIGNALLED);
  }

  @Test
  void aRunIsNotEndedByTheNumberOfItsEvents() {
    RunId id = startWaiting();
    for (int i = 0; i < 500; i++) {
      send(id, "signal-" + i);
    }
    pause(id);
    resume(id);

    assertThat(runState(id)).isEqualTo(RunState.RUNNING);
    assertThat(approvalSeenBy(id).id()).isEqualTo("signal-0");
    assertThat(runs.queries().events(id, 500, PLENTY))
        .extracting(RunQueries.StoredEvent::seq)
        .containsExactly(501L, 502L, 503L);
    planner.script((facts, data) ->
        ScriptedPlanner.applied(facts).letter(0, StepState.SUCCEEDED).job(1).build());
    runs.control().signal(id, approval("last"));
    settle();
    planner.script((facts, data) -> ScriptedPlanner.chain(facts).build());
    succeedOne();
    settle();
    assertThat(runState(id)).isEqualTo(RunState.SUCCEEDED);
  }

  @Test
  void aSignalIsStoredOncePerId() {
    RunId id = startWaiting();
    send(id, "a");

    RunControl.Result repeated = send(id, "a");

    assertThat(repeated.done()).isFalse();
    assertThat(repeated.before()).contains(RunState.RUNNING);
    assertThat(send(id, "b").done()).isTrue();
  }

  @Test
  void aSignalThatAStepHasUsedIsNotOfferedAgain() {
    RunId id = startWaiting();
    send(id, "a");
    send(id, "b");
    planner
        .needs(APPROVAL)
        .script(
            (facts, data) -> ScriptedPlanner.applied(facts).consume(0, approvalIn(data)).build());
    advance(id);
    send(id, "c");

    assertThat(approvalSeenBy(id).id()).isEqualTo("b");
    assertThat(send(id, "a").done()).isFalse();
  }

  @Test
  void aSignalIsKeptUntilAStepWaitsForIt() {
    RunId id = start(chain(2));
    send(id, "early");
    settle();
    succeedOne();

    assertThat(approvalSeenBy(id).id()).isEqualTo("early");
  }

  @Test
  void aSignalToAnEndedRunIsRefused() {
    RunId id = start(chain(1));
    succeedOne();
    settle();

    RunControl.Result result = send(id, "late");

    assertThat(result.done()).isFalse();
    assertThat(result.before()).contains(RunState.SUCCEEDED);
  }

  @Test
  void aSignalToAnUnknownRunFindsNone() {
    assertThat(send(new RunId(freshIncarnation()), "a").before()).isEmpty();
  }

  @Test
  void aSignalCanBeSentTogetherWithTheStart() {
    RunDraft draft = chain(2).first(plan -> plan.letter(0, StepState.WAITING));

    assertThat(runs.intake().start(draft.build(), approval("a")).outcome())
        .isEqualTo(Outcome.CREATED);

    assertThat(approvalSeenBy(draft.id()).id()).isEqualTo("a");
  }

  @Test
  void aSignalSentWithAStartThatIsSkippedReachesNoRun() {
    RunId active =
        start(
            chain(2)
                .unique(UniqueKey.whileActive("one"))
                .gate("g", 1, OnFull.SKIP)
                .first(plan -> plan.letter(0, StepState.WAITING)));
    RunDraft skipped = chain(2).unique(UniqueKey.whileActive("two")).gate("g", 1, OnFull.SKIP);

    assertThat(runs.intake().start(skipped.build(), approval("a")))
        .isEqualTo(new Admission(active, Outcome.SKIPPED, false));

    assertThat(runs.advance().marked(PLENTY)).isEmpty();
    assertThat(runs.queries().events(active, 0, PLENTY))
        .extracting(event -> event.event().kind())
        .containsExactly(RunEvent.Kind.CREATED);
  }

  @Test
  void aSignalSentWithTheStartReachesTheExistingRun() {
    UniqueKey key = UniqueKey.whileActive("k");
    RunId id = start(chain(2).unique(key).first(plan -> plan.letter(0, StepState.WAITING)));

    assertThat(runs.intake().start(chain(2).unique(key).build(), approval("a")).id()).isEqualTo(id);

    assertThat(approvalSeenBy(id).id()).isEqualTo("a");
  }
}
