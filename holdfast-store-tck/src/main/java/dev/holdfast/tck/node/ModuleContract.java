package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.RunFailedException;
import dev.holdfast.api.UnknownWorkflowException;
import dev.holdfast.api.internal.ProblemCollector;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.run.TaskModule;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.api.workflow.Flow;
import dev.holdfast.api.workflow.InvalidWorkflowException;
import dev.holdfast.api.workflow.Rule;
import dev.holdfast.api.workflow.Run;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunOptions;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.Started;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.engine.client.HoldfastClient;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Modules that nodes install, and runs that clients start without the definition of a workflow. */
public abstract class ModuleContract extends NodeTestBase {
  private static final TaskType<Note, Note> SHOUT =
      TaskType.of("module::shout", Note.class, Note.class);
  private static final TaskType<Note, Void> HEAR = TaskType.of("module::hear", Note.class);
  private static final Workflow<Note, Note> TALK =
      Workflow.defineWithResult(
          "module::talk", Note.class, flow -> flow.step("shout", SHOUT, flow.input()));
  private static final Workflow<Note, Void> PARENT =
      Workflow.define(
          "module::parent", Note.class, flow -> flow.workflow("talk", TALK, flow.input()));

  /** A module as a jar would contain it. */
  public static final class Talking implements TaskModule {
    private final CountDownLatch heard = new CountDownLatch(1);

    @Override
    public void configure(Binder binder) {
      binder
          .handle(SHOUT, (note, context) -> new Note(note.text() + "!"))
          .handle(HEAR, (note, context) -> heard.countDown())
          .workflow(TALK)
          .workflow(PARENT);
    }
  }

  private final Talking module = new Talking();

  private RunId startByName(Holdfast by, String workflow, String input) {
    return by.runs().start(workflow, input, RunOptions.DEFAULTS).id();
  }

  private Run awaitEnd(RunId id) {
    Awaitility.await()
        .atMost(SOON)
        .until(() -> client().runs().find(id).orElseThrow().state().hasEnded());
    return client().runs().find(id).orElseThrow();
  }

  private void awaitRegistered(String workflow) {
    Awaitility.await()
        .atMost(SOON)
        .until(() -> store().runs().definitions().names().contains(workflow));
  }

  @Test
  void aNodeRunsTheTasksAndWorkflowsOfAnInstalledModule() throws Exception {
    start(node().install(module));

    Enqueued<Note> job = client().enqueue(SHOUT, new Note("hello"));
    client().enqueue(HEAR, new Note("hello"));
    Started<Note> run = client().runs().start(TALK, new Note("hi"));
    Enqueued<String> starter = client().enqueue(TALK.starter(), new Note("hey"));

    assertThat(client().await(job, SOON)).isEqualTo(new Note("hello!"));
    assertThat(module.heard.await(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(client().runs().await(run, SOON)).isEqualTo(new Note("hi!"));
    RunId started = RunId.parse(String.valueOf(client().await(starter, SOON)));
    assertThat(client().runs().await(started, TypeRef.of(Note.class), SOON))
        .isEqualTo(new Note("hey!"));
  }

  @Test
  void twoModulesWithAHandlerForOneTaskCannotBeInstalledTogether() {
    assertThatThrownBy(() -> start(node().install(module).install(new Talking())))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'module::shout' has two handlers");
  }

  @Test
  void aRunIsStartedByTheNameOfItsWorkflow() throws Exception {
    start(node().install(module));
    awaitRegistered(TALK.name());

    Started<Object> run =
        client()
            .runs()
            .start(
                "module::talk",
                "{\"text\": \"hi\"}",
                RunOptions.of(options ->
                    options
                        .unique(UniqueKey.whileActive("one"))
                        .tags("cli")
                        .label("by name")
                        .priority(7)));

    assertThat(run.created()).isTrue();
    assertThat(client().runs().await(run, SOON)).isEqualTo(Map.of("text", "hi!"));
    Run read = client().runs().find(run.id()).orElseThrow();
    assertThat(read.tags()).containsExactly("cli");
    assertThat(read.label()).contains("by name");
    assertThat(read.input()).contains("{\"text\": \"hi\"}");
  }

  @Test
  void aRunByNameHasTheGraphThatWasStoredLast() {
    Workflow<Note, Void> first =
        Workflow.define("module::versions", Note.class, flow -> flow.step("one", SHOUT));
    Workflow<Note, Void> second =
        Workflow.define("module::versions", Note.class, flow -> flow.step("two", SHOUT));
    client().runs().start(first, new Note("a"));
    client().runs().start(second, new Note("b"));
    client().runs().start(first, new Note("c"));

    RunId run = startByName(client(), "module::versions", "{}");

    assertThat(client().runs().find(run).orElseThrow().step("two")).isPresent();
  }

  @Test
  void aWorkflowThatNobodyRegisteredIsReportedWithASimilarName() {
    client().runs().start(TALK, new Note("a"));

    assertThatThrownBy(() -> startByName(client(), "module::tlak", "{}"))
        .isInstanceOf(UnknownWorkflowException.class)
        .hasMessageContaining("'module::tlak'")
        .hasMessageContaining("did you mean 'module::talk'?");
    assertThatThrownBy(() -> startByName(client(), "Not a name", "{}"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aClientWithoutDefinitionsStartsAndRepeatsRunsThatBeginWithAChild() {
    start(node().install(module));
    awaitRegistered(PARENT.name());
    try (Holdfast fresh = HoldfastClient.on(store())) {
      RunId run = startByName(fresh, PARENT.name(), "{\"text\": \"hi\"}");
      assertThat(awaitEnd(run).state()).isEqualTo(RunState.SUCCEEDED);
      try (Holdfast another = HoldfastClient.on(store())) {
        RunId again = another.runs().rerun(run, List.of(), null);
        assertThat(awaitEnd(again).state()).isEqualTo(RunState.SUCCEEDED);
      }
    }
  }

  @Test
  void aWorkflowThatIsNotValidIsNotRegistered() {
    Workflow<Note, Void> twice =
        unchecked(flow -> {
          flow.step("a", SHOUT);
          flow.step("a", SHOUT);
        });
    Workflow<Note, Void> impossible = unchecked(flow -> flow.step("b", SHOUT).when(Rule.quorum(2)));

    assertThatThrownBy(() -> client().runs().start(twice, new Note("x")))
        .isInstanceOf(InvalidWorkflowException.class)
        .hasMessageContaining("Step name 'a' is used more than once");
    assertThatThrownBy(() -> client().runs().start(impossible, new Note("x")))
        .isInstanceOf(InvalidWorkflowException.class)
        .hasMessageContaining("Step 'b' can never run");
    assertThat(store().runs().definitions().names()).isEmpty();
  }

  /** Defines a workflow whose problems are ignored, as only a check does. */
  private static Workflow<Note, Void> unchecked(Consumer<Flow<Note>> graph) {
    AtomicReference<Workflow<Note, Void>> built = new AtomicReference<>();
    ProblemCollector.during(() -> built.set(Workflow.define("module::invalid", Note.class, graph)));
    return Objects.requireNonNull(built.get());
  }

  @Test
  void aRunThatFailsIsReportedToWhoAwaitsItByName() {
    start(node());
    client().runs().start(TALK, new Note("a"));
    Started<Object> run = client().runs().start("module::talk", "[]", RunOptions.DEFAULTS);
    client().runs().cancel(run.id(), "enough");

    assertThatThrownBy(() -> client().runs().await(run, SOON))
        .isInstanceOf(RunFailedException.class)
        .hasMessageContaining("enough");
  }
}
