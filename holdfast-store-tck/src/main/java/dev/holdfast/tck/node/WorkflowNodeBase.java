package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.workflow.Run;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.RunStep;
import org.awaitility.Awaitility;

/** The base of tests that read what nodes have made of runs. */
public abstract class WorkflowNodeBase extends NodeTestBase {
  protected Run read(RunId id) {
    return client().runs().find(id).orElseThrow(() -> new AssertionError("Run " + id + " is lost"));
  }

  protected Run await(RunId id, RunState state) {
    Awaitility.await()
        .atMost(SOON)
        .until(() -> read(id).state() == state || read(id).state().hasEnded());
    Run run = read(id);
    assertThat(run.state()).as("state of %s: %s", id, run.reason()).isEqualTo(state);
    return run;
  }

  protected static RunStep step(Run run, String name) {
    return run.step(name).orElseThrow(() -> new AssertionError("There is no step " + name));
  }
}
