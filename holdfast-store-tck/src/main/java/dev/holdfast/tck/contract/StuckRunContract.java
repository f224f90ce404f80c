package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.workflow.OnError;
import dev.holdfast.api.workflow.Rule;
import dev.holdfast.api.workflow.Run;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.Step;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.notify.Signal;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Runs that a client recovers with {@code recoverStuck()} while no node is alive. */
public abstract class StuckRunContract extends Contract {
  private static final TaskType<String, String> SAY =
      TaskType.of("stuck::say", String.class, String.class).with(job -> job.queue("stuck"));

  private static final Workflow<String, Void> CHAIN =
      Workflow.define(
          "stuck::chain",
          String.class,
          flow -> {
            Step<String> first = flow.step("first", SAY, flow.input());
            flow.step("second", SAY, flow.input()).after(first);
          });

  private Holdfast client;

  @BeforeEach
  void connect() {
    client = HoldfastClient.on(store);
  }

  @AfterEach
  void disconnect() {
    client.close();
  }

  private RunId stuck(Workflow<String, Void> workflow) {
    RunId id = client.runs().start(workflow, "x").id();
    breakConsistency(Inconsistency.JOB_LOST, id, 0);
    return id;
  }

  private Run run(RunId id) {
    return client.runs().find(id).orElseThrow();
  }

  private StepState step(RunId id, String name) {
    return run(id).step(name).orElseThrow().state();
  }

  private JobId job(RunId id, String step) {
    return run(id).step(step).orElseThrow().job().orElseThrow();
  }

  @Test
  void aRunThatLostAJobFailsWithItsDependentsSkipped() {
    RunId id = stuck(CHAIN);

    List<String> repairs = client.runs().recoverStuck();

    assertThat(repairs)
        .singleElement()
        .asString()
        .contains(id.toString())
        .contains("RESULT_NOT_AVAILABLE");
    assertThat(run(id).state()).isEqualTo(RunState.FAILED);
    assertThat(step(id, "first")).isEqualTo(StepState.FAILED);
    assertThat(step(id, "second")).isEqualTo(StepState.SKIPPED);
    assertThat(client.runs().recoverStuck()).isEmpty();
  }

  @Test
  void theDependentOfALostJobIsReadyIfItsRunContinues() {
    Workflow<String, Void> workflow =
        Workflow.define(
            "stuck::continues",
            String.class,
            flow -> {
              Step<String> first = flow.step("first", SAY, flow.input()).onError(OnError.CONTINUE);
              flow.step("second", SAY, flow.input()).after(first).when(Rule.allDone());
            });
    RunId id = stuck(workflow);
    List<Signal> signals = new CopyOnWriteArrayList<>();
    Runnable stop = store.coordinator().onSignal(signals::add);

    assertThat(client.runs().recoverStuck()).hasSize(1);
    stop.run();

    assertThat(run(id).state()).isEqualTo(RunState.RUNNING);
    assertThat(stateOf(job(id, "second"))).isEqualTo(JobState.READY);
    assertThat(signals)
        .filteredOn(Signal.NewWork.class::isInstance)
        .extracting(signal -> ((Signal.NewWork) signal).queue())
        .containsExactly("stuck");
  }

  @Test
  void theParentOfARunThatLostAJobIsContinuedToo() {
    Workflow<String, Void> parent =
        Workflow.define(
            "stuck::parent",
            String.class,
            flow -> {
              var child = flow.workflow("child", CHAIN, flow.input());
              flow.step("after", SAY, flow.input()).after(child);
            });
    RunId id = client.runs().start(parent, "x").id();
    RunId child = run(id).step("child").orElseThrow().child().orElseThrow();
    breakConsistency(Inconsistency.JOB_LOST, child, 0);

    assertThat(client.runs().recoverStuck()).hasSize(1);

    assertThat(run(child).state()).isEqualTo(RunState.FAILED);
    assertThat(run(id).state()).isEqualTo(RunState.FAILED);
    assertThat(step(id, "after")).isEqualTo(StepState.SKIPPED);
  }

  @Test
  void moreRunsThanFitInOneBatchAreRecovered() {
    List<RunId> ids = IntStream.range(0, 120).mapToObj(i -> stuck(CHAIN)).toList();

    assertThat(client.runs().recoverStuck()).hasSize(ids.size());

    assertThat(ids).allSatisfy(id -> assertThat(run(id).state()).isEqualTo(RunState.FAILED));
  }
}
