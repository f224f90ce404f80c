package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.Page;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.run.TaskHandler;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.workflow.Run;
import dev.holdfast.api.workflow.RunFilter;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.Started;
import dev.holdfast.api.workflow.Step;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.store.Definitions.Definition;
import dev.holdfast.engine.store.RunControl.Move;
import dev.holdfast.engine.store.RunRow;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Rolling deployments with open runs: which of them no live node can continue. */
public abstract class StrandedContract extends NodeTestBase {
  private static final TaskType<Note, Note> FIRST =
      TaskType.of("deploy::first", Note.class, Note.class);
  private static final TaskType<Note, Note> OLD =
      TaskType.of("deploy::old", Note.class, Note.class);
  private static final TaskType<Note, Note> NEW =
      TaskType.of("deploy::new", Note.class, Note.class);

  private static Workflow<Note, Note> version(TaskType<Note, Note> last) {
    return Workflow.defineWithResult(
        "deploy::flow",
        Note.class,
        flow -> {
          Step<Note> first = flow.step("first", FIRST, flow.input());
          return flow.step("second", last, first);
        });
  }

  private HoldfastNode start(TaskType<Note, Note> last) {
    return start(
        node()
            .handle(FIRST, (note, context) -> new Note(note.text() + " first"))
            .handle(last, (note, context) -> new Note(note.text() + " " + last.name())));
  }

  private Run read(RunId id) {
    return client().runs().find(id).orElseThrow();
  }

  private List<RunId> stranded() {
    return client().runs().list(RunFilter.all().stranded(), Page.first(10)).stream()
        .map(Run::id)
        .toList();
  }

  /** Starts a run of the old version after the last node that knows its second task has left. */
  private Started<Note> strand() {
    HoldfastNode old = start(OLD);
    start(NEW);
    old.close();
    Started<Note> run = client().runs().start(version(OLD), new Note("go"));
    await()
        .atMost(SOON)
        .until(() -> read(run.id()).step("second").orElseThrow().state() == StepState.ACTIVE);
    return run;
  }

  @Test
  void aRunIsStrandedFromWhenTheLastNodeThatKnowsATaskLeavesUntilOneJoins() throws Exception {
    Started<Note> run = strand();

    assertThat(read(run.id()).reason().orElseThrow())
        .startsWith("VERSION_STRANDED")
        .contains(OLD.name());
    assertThat(stranded()).containsExactly(run.id());
    assertThat(client().runs().count(RunFilter.all().stranded()).byState())
        .isEqualTo(Map.of(RunState.RUNNING, 1L));
    assertThat(client().runs().list(RunFilter.all(), Page.first(10)).getFirst().reason())
        .isEqualTo(read(run.id()).reason());

    start(OLD);
    assertThat(client().runs().await(run, SOON)).isEqualTo(new Note("go first deploy::old"));
    assertThat(read(run.id()).reason()).isEmpty();
    assertThat(stranded()).isEmpty();
  }

  @Test
  void aStrandedRunContinuesAfterItWasMoved() throws Exception {
    Started<Note> run = strand();
    Run other = read(client().runs().start(version(NEW), new Note("x")).id());

    assertThat(client().runs().move(run.id(), other.definition(), true))
        .anySatisfy(line -> assertThat(line).contains("second"));
    assertThat(stranded()).containsExactly(run.id());
    client().runs().move(run.id(), other.definition(), false);

    assertThat(client().runs().await(run, SOON)).isEqualTo(new Note("go first deploy::new"));
    assertThat(stranded()).isEmpty();
  }

  private HoldfastNode journalling(String node, TaskHandler<Note, Note> handler) {
    return start(node().id(node).handle(FIRST, (note, context) -> note).handle(OLD, handler));
  }

  private HoldfastNode version1(String node) {
    return journalling(
        node,
        (note, context) -> {
          String charged = context.steps().run("charge", String.class, () -> " charged");
          context.steps().awaitSignal("go", String.class, Duration.ofHours(1));
          return new Note(note.text() + charged);
        });
  }

  @Test
  void aRunWhoseJournalNoLiveNodeMatchesContinuesWhenOneDoes() throws Exception {
    HoldfastNode old = version1("old");
    Started<Note> run = client().runs().start(version(OLD), new Note("go"));
    await()
        .atMost(SOON)
        .until(() -> read(run.id()).step("second").orElseThrow().state() == StepState.ACTIVE);
    JobId job = read(run.id()).step("second").orElseThrow().job().orElseThrow();
    await().atMost(SOON).until(() -> client().find(job).orElseThrow().state() == JobState.WAITING);
    old.close();
    journalling(
        "new",
        (note, context) -> {
          context.steps().sleep("charge", Duration.ofHours(1)); // The journal says RUN.
          return note;
        });

    client().signal(job, "go", "now");

    await().atMost(SOON).until(() -> !stranded().isEmpty());
    assertThat(read(run.id()).state()).isEqualTo(RunState.RUNNING);
    assertThat(read(run.id()).reason().orElseThrow())
        .startsWith("VERSION_STRANDED")
        .contains("step 'second' of run " + run.id(), "'charge'");

    // The node that does not match may claim it first, and leaves it to the other one.
    version1("old-again");
    client().requeue(job);
    assertThat(client().runs().await(run, SOON)).isEqualTo(new Note("go charged"));
    assertThat(stranded()).isEmpty();
  }

  @Test
  void aRunWhoseGraphIsInANewerFormatIsReadWithoutSteps() {
    start(NEW);
    Started<Note> run = strand();
    int newer =
        store()
            .runs()
            .definitions()
            .register(List.of(new Definition("from-the-future", "deploy::flow", 99, "?")))
            .getFirst()
            .id();
    RunRow row = store().runs().queries().find(run.id()).orElseThrow();
    Move move = new Move(row.steps(), newer, row.steps(), Map.of(0, 0, 1, 1), Map.of());
    store().runs().control().move(run.id(), move);

    assertThat(read(run.id()).reason().orElseThrow())
        .startsWith("VERSION_STRANDED")
        .contains("format 99");
    assertThat(read(run.id()).steps()).isEmpty();
    assertThat(stranded()).containsExactly(run.id());
  }
}
