package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.Page;
import dev.holdfast.api.RunFailedException;
import dev.holdfast.api.RunStateException;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobOptions;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.policy.CrashPolicy;
import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.api.workflow.MaxActive;
import dev.holdfast.api.workflow.OnError;
import dev.holdfast.api.workflow.Rule;
import dev.holdfast.api.workflow.Run;
import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunFilter;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.RunStep;
import dev.holdfast.api.workflow.Started;
import dev.holdfast.api.workflow.Step;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.node.NodeBuilder;
import dev.holdfast.engine.store.ClaimRequest;
import dev.holdfast.engine.store.NodeStore.Advice;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Workflows on real nodes: what a user sees of runs. */
public abstract class WorkflowContract extends NodeTestBase {
  /** A payload that grows from step to step. */
  public record Basket(List<String> items, int total) {}

  private static final TaskType<Note, Note> SAY =
      TaskType.of("flow::say", Note.class, Note.class).with(WorkflowContract::quickRetries);
  private static final TaskType<Note, Note> BREAK =
      TaskType.of("flow::break", Note.class, Note.class).with(WorkflowContract::quickRetries);
  private static final TaskType<Integer, Integer> DOUBLE =
      TaskType.of("flow::double", Integer.class, Integer.class)
          .with(WorkflowContract::quickRetries);
  private static final TaskType<List<Integer>, Integer> SUM =
      TaskType.of("flow::sum", new TypeRef<List<Integer>>() {}, TypeRef.of(Integer.class));
  private static final TaskType<Object, Void> UNDO = TaskType.of("flow::undo", Object.class);

  private final List<String> log = new CopyOnWriteArrayList<>();
  private final AtomicBoolean broken = new AtomicBoolean(true);
  private final CountDownLatch running = new CountDownLatch(1);
  private final CountDownLatch release = new CountDownLatch(1);

  private static void quickRetries(JobOptions.Builder job) {
    job.retry(RetryPolicy.fixed(Duration.ofMillis(1)).maxAttempts(2));
  }

  private NodeBuilder worker() {
    return node()
        .handle(
            SAY,
            (note, context) -> {
              log.add(note.text());
              if (note.text().startsWith("wait")) {
                running.countDown();
                release.await();
              }
              return new Note(note.text() + "!");
            })
        .handle(
            BREAK,
            (note, context) -> {
              log.add("break");
              if (broken.get()) {
                throw new IllegalStateException("it is broken");
              }
              return new Note("repaired");
            })
        .handle(DOUBLE, (number, context) -> number * 2)
        .handle(SUM, (numbers, context) -> numbers.stream().mapToInt(Integer::intValue).sum())
        .handle(UNDO, (what, context) -> log.add("undo"));
  }

  private Run await(RunId id, RunState state) {
    Awaitility.await()
        .atMost(SOON)
        .until(() -> client().runs().find(id).orElseThrow().state() == state);
    return client().runs().find(id).orElseThrow();
  }

  private static StepState stateOf(Run run, String step) {
    return run.step(step).orElseThrow().state();
  }

  @Test
  void aStageCompletesWithTheResultOfARunOrFailsAsAwaitDoes() {
    Workflow<Note, Note> say =
        Workflow.defineWithResult(
            "test::stage", Note.class, flow -> flow.step("only", SAY, flow.input()));
    Workflow<Note, Void> fails =
        Workflow.define(
            "test::failing", Note.class, flow -> flow.step("only", BREAK, flow.input()));
    var stage =
        client()
            .runs()
            .awaitAsync(client().runs().start(say, new Note("hello")), SOON)
            .toCompletableFuture();
    var failed = client().runs().awaitAsync(client().runs().start(fails, new Note("x")), SOON);
    HoldfastClient other = HoldfastClient.on(store());
    var never =
        other
            .runs()
            .awaitAsync(other.runs().start(say, new Note("later")), Duration.ofHours(1))
            .toCompletableFuture();
    assertThat(stage).isNotDone();

    other.close();
    assertThat(never)
        .failsWithin(SOON)
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(CancellationException.class);
    start(worker());

    assertThat(stage).succeedsWithin(SOON).isEqualTo(new Note("hello!"));
    assertThat(failed)
        .failsWithin(SOON)
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(RunFailedException.class);
  }

  @Test
  void stepsRunInOrderAndPassTheirOutputsOn() throws Exception {
    Workflow<Note, Note> chain =
        Workflow.defineWithResult(
            "test::chain",
            Note.class,
            flow -> {
              Step<Note> first = flow.step("first", SAY, flow.input());
              Step<Note> second = flow.step("second", SAY, first);
              return flow.step("third", SAY, second);
            });
    start(worker());

    Started<Note> run = client().runs().start(chain, new Note("hello"));

    assertThat(client().runs().await(run, SOON)).isEqualTo(new Note("hello!!!"));
    assertThat(log).containsExactly("hello", "hello!", "hello!!");
    Run read = client().runs().find(run.id()).orElseThrow();
    assertThat(read.state()).isEqualTo(RunState.SUCCEEDED);
    assertThat(read.steps()).extracting(RunStep::state).containsOnly(StepState.SUCCEEDED);
    RunStep second = read.step("second").orElseThrow();
    assertThat(second.attempts()).isEqualTo(1);
    assertThat(second.output()).isPresent();
    assertThat(second.endedAt()).isPresent();
    assertThat(client().runs().events(run.id(), Page.first(100)))
        .extracting(RunEvent::kind)
        .startsWith(RunEvent.Kind.CREATED)
        .endsWith(RunEvent.Kind.ENDED);
  }

  @Test
  void aDiamondMergesTheOutputsOfBothBranches() throws Exception {
    TaskType<Basket, Basket> add = TaskType.of("flow::add", Basket.class, Basket.class);
    Workflow<Basket, Basket> diamond =
        Workflow.defineWithResult(
            "test::diamond",
            Basket.class,
            flow -> {
              Step<Basket> left =
                  flow.step(
                      "left",
                      add,
                      flow.constant(new Basket(List.of("a"), 1), TypeRef.of(Basket.class)));
              Step<Basket> right =
                  flow.step(
                      "right",
                      add,
                      flow.constant(new Basket(List.of("b"), 2), TypeRef.of(Basket.class)));
              return flow.step("join", add).after(left, right);
            });
    start(worker().handle(add, (basket, context) -> basket));

    Started<Basket> run = client().runs().start(diamond, new Basket(List.of("z"), 0));

    assertThat(client().runs().await(run, SOON)).isEqualTo(new Basket(List.of("z", "a", "b"), 2));
  }

  @Test
  void aFailedStepFailsTheRunAfterItsAttempts() {
    Workflow<Note, Void> flow =
        Workflow.define(
            "test::fails",
            Note.class,
            f -> {
              Step<Note> first = f.step("first", BREAK, f.input());
              f.step("second", SAY, first);
              f.finallyStep("tidy", UNDO);
            });
    start(worker());

    RunId id = client().runs().start(flow, new Note("x")).id();
    Run run = await(id, RunState.FAILED);

    assertThat(stateOf(run, "first")).isEqualTo(StepState.FAILED);
    assertThat(stateOf(run, "second")).isEqualTo(StepState.SKIPPED);
    assertThat(stateOf(run, "tidy")).isEqualTo(StepState.SUCCEEDED);
    assertThat(run.reason().orElseThrow()).contains("first").contains("it is broken");
    assertThat(log).containsExactly("break", "break", "undo");
    assertThatThrownBy(() -> client().runs().await(id, TypeRef.of(Void.class), SOON))
        .isInstanceOf(RunFailedException.class)
        .hasMessageContaining("it is broken");
  }

  @Test
  void aRetryRunsTheFailedStepsAgainAndKeepsTheOthers() throws Exception {
    Workflow<Note, Note> flow =
        Workflow.defineWithResult(
            "test::retried",
            Note.class,
            f -> {
              Step<Note> first = f.step("first", SAY, f.input());
              Step<Note> second = f.step("second", BREAK, first);
              return f.step("third", SAY, second);
            });
    start(worker());
    Started<Note> started = client().runs().start(flow, new Note("once"));
    await(started.id(), RunState.FAILED);
    broken.set(false);

    client().runs().retry(started.id());

    assertThat(client().runs().await(started, SOON)).isEqualTo(new Note("repaired!"));
    assertThat(log).containsExactly("once", "break", "break", "break", "repaired");
  }

  @Test
  void aMapRunsItsTaskForEachElementAndKeepsTheirOrder() throws Exception {
    Workflow<List<Integer>, Integer> flow =
        Workflow.defineWithResult(
            "test::map",
            new TypeRef<List<Integer>>() {},
            f -> f.step("sum", SUM, f.map("double", DOUBLE, f.input())));
    start(worker());

    Started<Integer> run =
        client().runs().start(flow, IntStream.rangeClosed(1, 200).boxed().toList());

    assertThat(client().runs().await(run, SOON)).isEqualTo(2 * 200 * 201 / 2);
    assertThat(client().runs().find(run.id()).orElseThrow().step("double").orElseThrow().map())
        .hasValue(new RunStep.MapProgress(200, 200, 0, 0));
  }

  @Test
  void aMapOverAnEmptyListSucceeds() throws Exception {
    Workflow<List<Integer>, Integer> flow =
        Workflow.defineWithResult(
            "test::empty",
            new TypeRef<List<Integer>>() {},
            f -> f.step("sum", SUM, f.map("double", DOUBLE, f.input())));
    start(worker());

    assertThat(client().runs().await(client().runs().start(flow, List.of()), SOON)).isZero();
  }

  @Test
  void aChildRunPassesItsResultToItsParent() throws Exception {
    Workflow<Note, Note> child =
        Workflow.defineWithResult("test::child", Note.class, f -> f.step("say", SAY, f.input()));
    Workflow<Note, Note> parent =
        Workflow.defineWithResult(
            "test::parent",
            Note.class,
            f -> f.step("after", SAY, f.workflow("inner", child, f.input()).result()));
    start(worker());

    Started<Note> run = client().runs().start(parent, new Note("deep"));

    assertThat(client().runs().await(run, SOON)).isEqualTo(new Note("deep!!"));
    RunId inner =
        client()
            .runs()
            .find(run.id())
            .orElseThrow()
            .step("inner")
            .orElseThrow()
            .child()
            .orElseThrow();
    assertThat(client().runs().find(inner).orElseThrow().parent()).hasValue(run.id());
    assertThat(client().runs().list(RunFilter.all().childrenOf(run.id()), Page.first(10)))
        .hasSize(1);
  }

  @Test
  void aClientThatDoesNotKnowTheWorkflowRetriesARunWithItsChildRun() throws Exception {
    Workflow<Note, Note> child =
        Workflow.defineWithResult(
            "test::broken-child", Note.class, f -> f.step("break", BREAK, f.input()));
    Workflow<Note, Note> parent =
        Workflow.defineWithResult(
            "test::parent-of-broken",
            Note.class,
            f -> f.step("after", SAY, f.workflow("inner", child, f.input()).result()));
    start(worker());
    Started<Note> run = client().runs().start(parent, new Note("deep"));
    await(run.id(), RunState.FAILED);
    broken.set(false);

    HoldfastClient other = HoldfastClient.on(store());
    other.runs().retry(run.id());

    assertThat(client().runs().await(run, SOON)).isEqualTo(new Note("repaired!"));
  }

  @Test
  void aPausedRunStartsNoStepUntilItIsResumed() throws Exception {
    Workflow<Note, Note> flow =
        Workflow.defineWithResult(
            "test::paused",
            Note.class,
            f -> f.step("second", SAY, f.step("first", SAY, f.input())));
    start(worker());
    Started<Note> run = client().runs().start(flow, new Note("wait"));
    running.await();

    client().runs().pause(run.id());
    release.countDown();

    Awaitility.await()
        .atMost(SOON)
        .until(() ->
            stateOf(client().runs().find(run.id()).orElseThrow(), "first") == StepState.SUCCEEDED);
    Run paused = client().runs().find(run.id()).orElseThrow();
    assertThat(paused.state()).isEqualTo(RunState.PAUSED);
    assertThat(stateOf(paused, "second")).isEqualTo(StepState.PENDING);
    assertThat(paused.step("second").orElseThrow().waitsFor().orElseThrow()).contains("paused");
    client().runs().resume(run.id());
    assertThat(client().runs().await(run, SOON)).isEqualTo(new Note("wait!!"));
    assertThatThrownBy(() -> client().runs().resume(run.id()))
        .isInstanceOf(RunStateException.class)
        .hasMessageContaining(run.id().toString())
        .hasMessageContaining("SUCCEEDED");
  }

  @Test
  void aCancelledRunStartsOnlyCompensationsAndFinallySteps() throws Exception {
    Workflow<Note, Void> flow =
        Workflow.define(
            "test::cancelled",
            Note.class,
            f -> {
              Step<Note> first =
                  f.step("first", SAY, f.constant(new Note("a"), TypeRef.of(Note.class)))
                      .compensate(UNDO);
              Step<Note> second = f.step("second", SAY, f.input()).after(first);
              f.step("third", SAY, second);
              f.finallyStep("tidy", UNDO);
            });
    start(worker());
    RunId id = client().runs().start(flow, new Note("wait here")).id();
    running.await();

    client().runs().cancel(id, "no longer needed");

    Run run = await(id, RunState.CANCELLED);
    assertThat(stateOf(run, "second")).isEqualTo(StepState.CANCELLED);
    assertThat(stateOf(run, "third")).isEqualTo(StepState.SKIPPED);
    assertThat(run.reason().orElseThrow()).contains("no longer needed");
    assertThat(log).containsExactly("a", "wait here", "undo", "undo");
  }

  @Test
  void aStepSleepsAndContinues() throws Exception {
    Workflow<Note, Note> flow =
        Workflow.defineWithResult(
            "test::sleep",
            Note.class,
            f -> {
              Step<Void> nap = f.sleep("nap", Duration.ofMillis(300));
              return f.step("say", SAY, f.input()).after(nap);
            });
    start(worker());

    long began = System.nanoTime();
    Started<Note> run = client().runs().start(flow, new Note("hi"));

    assertThat(client().runs().await(run, SOON)).isEqualTo(new Note("hi!"));
    assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThan(Duration.ofMillis(290));
  }

  @Test
  void aSignalLetsTheRunContinueWhenItWaitsAndWhenItComesFirst() throws Exception {
    Workflow<Note, Note> flow =
        Workflow.defineWithResult(
            "test::signal",
            Note.class,
            f -> f.step("say", SAY, f.awaitSignal("approval", "approved", Note.class)));
    start(worker());
    Started<Note> late = client().runs().start(flow, new Note("x"));
    Awaitility.await()
        .atMost(SOON)
        .until(() ->
            stateOf(client().runs().find(late.id()).orElseThrow(), "approval")
                == StepState.WAITING);

    client().runs().signal(late.id(), "approved", new Note("yes"));

    assertThat(client().runs().await(late, SOON)).isEqualTo(new Note("yes!"));
    assertThatThrownBy(() -> client().runs().signal(late.id(), "approved", new Note("again")))
        .isInstanceOf(RunStateException.class);
    Started<Note> first =
        client().runs().signalOrStart(flow, new Note("x"), "key-1", "approved", new Note("early"));
    assertThat(client().runs().await(first, SOON)).isEqualTo(new Note("early!"));
  }

  @Test
  void signalOrStartSignalsTheRunThatHasTheKeyOnceForEachId() throws Exception {
    Workflow<Note, Note> flow =
        Workflow.defineWithResult(
            "test::signal-or-start",
            Note.class,
            f -> {
              Step<Note> one = f.awaitSignal("one", "go", Note.class);
              Step<Note> two = f.awaitSignal("two", "go", Note.class).after(one);
              return f.step("say", SAY, two);
            });
    start(worker());

    Started<Note> first = signalOrStart(flow, "first");
    Started<Note> repeated = signalOrStart(flow, "first");
    Started<Note> second = signalOrStart(flow, "second");

    assertThat(first.outcome()).isEqualTo(Started.Outcome.CREATED);
    assertThat(repeated.outcome()).isEqualTo(Started.Outcome.EXISTING);
    assertThat(List.of(repeated.id(), second.id())).containsOnly(first.id());
    assertThat(client().runs().await(first, SOON)).isEqualTo(new Note("second!"));
  }

  private Started<Note> signalOrStart(Workflow<Note, Note> flow, String text) {
    return client()
        .runs()
        .signalOrStart(
            flow, new Note("x"), "key-2", "go", new Note(text), signal -> signal.id(text));
  }

  @Test
  void aSignalThatDoesNotComeInTimeGivesTheDefault() throws Exception {
    Workflow<Note, Note> flow =
        Workflow.defineWithResult(
            "test::signal-timeout",
            Note.class,
            f ->
                f.step(
                    "say",
                    SAY,
                    f.awaitSignal("approval", "approved", Note.class)
                        .orElse(new Note("nobody"))
                        .within(Duration.ofMillis(100))));
    start(worker());

    assertThat(client().runs().await(client().runs().start(flow, new Note("x")), SOON))
        .isEqualTo(new Note("nobody!"));
  }

  @Test
  void aRunWithATakenKeyIsReturnedInsteadOfASecondOne() throws Exception {
    Workflow<Note, Void> flow =
        Workflow.define("test::unique", Note.class, f -> f.step("say", SAY, f.input()));
    start(worker());

    Started<Void> one =
        client()
            .runs()
            .start(flow, new Note("wait"), run -> run.unique(UniqueKey.whileActive("k")));
    Started<Void> two =
        client()
            .runs()
            .start(flow, new Note("wait"), run -> run.unique(UniqueKey.whileActive("k")));

    assertThat(two.id()).isEqualTo(one.id());
    assertThat(two.created()).isFalse();
    release.countDown();
    await(one.id(), RunState.SUCCEEDED);
  }

  @Test
  void runsBeyondTheMaximumWaitForTheOthers() throws Exception {
    Workflow<Note, Void> flow =
        Workflow.define(
            "test::gate",
            Note.class,
            f -> {
              f.step("say", SAY, f.input());
              f.maxActive(MaxActive.of(1).per("text"));
            });
    start(worker());
    RunId one = client().runs().start(flow, new Note("wait")).id();
    running.await();

    RunId two = client().runs().start(flow, new Note("wait")).id();

    assertThat(client().runs().find(two).orElseThrow().state()).isEqualTo(RunState.QUEUED);
    release.countDown();
    await(one, RunState.SUCCEEDED);
    await(two, RunState.SUCCEEDED);
    assertThat(log).containsExactly("wait", "wait");
  }

  @Test
  void aRuleDecidesByHowOthersEnded() {
    Workflow<Note, Void> flow =
        Workflow.define(
            "test::rules",
            Note.class,
            f -> {
              Step<Note> risky = f.step("risky", BREAK, f.input()).onError(OnError.CONTINUE);
              f.step("on-failure", SAY, f.constant(new Note("rescue"), TypeRef.of(Note.class)))
                  .after(risky)
                  .when(Rule.anyFailed());
              f.step("on-success", SAY, f.input()).after(risky);
            });
    start(worker());

    Run run = await(client().runs().start(flow, new Note("x")).id(), RunState.SUCCEEDED);

    assertThat(stateOf(run, "on-failure")).isEqualTo(StepState.SUCCEEDED);
    assertThat(stateOf(run, "on-success")).isEqualTo(StepState.SKIPPED);
    assertThat(log).contains("rescue");
  }

  @Test
  void aWorkflowIsStartedOnceByTheJobThatStartsIt() throws Exception {
    Workflow<Note, Void> flow =
        Workflow.define("test::started-by-job", Note.class, f -> f.step("say", SAY, f.input()));
    start(worker().workflow(flow));

    JobId job = client().enqueue(flow.starter(), new Note("by job")).id();
    awaitState(job, JobState.SUCCEEDED);

    await(new RunId(job.value()), RunState.SUCCEEDED);
    assertThat(log).containsExactly("by job");
  }

  @Test
  void aStepWhoseNodeDiedRunsOnAnotherNode() throws Exception {
    Workflow<Note, Note> flow =
        Workflow.defineWithResult(
            "test::crash", Note.class, f -> f.step("second", SAY, f.step("first", SAY, f.input())));
    Started<Note> run = client().runs().start(flow, new Note("again"));
    dieHoldingTask(SAY.name());

    start(worker().liveness(QUICK));

    assertThat(client().runs().await(run, SOON)).isEqualTo(new Note("again!!"));
    Run read = client().runs().find(run.id()).orElseThrow();
    assertThat(stateOf(read, "first")).isEqualTo(StepState.SUCCEEDED);
  }

  @Test
  void aStepThatMustNotRunAgainAfterACrashFailsItsRun() throws Exception {
    Workflow<Note, Void> flow =
        Workflow.define(
            "test::crash-fails",
            Note.class,
            f -> f.step("once", SAY, f.input()).with(job -> job.onCrash(CrashPolicy.fail())));
    RunId id = client().runs().start(flow, new Note("never")).id();
    dieHoldingTask(SAY.name());

    start(worker().liveness(QUICK));

    Run run = await(id, RunState.FAILED);
    assertThat(run.step("once").orElseThrow().failure().orElseThrow()).contains("WORKER_CRASHED");
    assertThat(log).isEmpty();
  }

  @Test
  void theOutputOfAStepIsKeptEvenIfTheResultsOfItsTaskAreNot() throws Exception {
    Workflow<Note, Note> flow =
        Workflow.defineWithResult(
            "test::kept",
            Note.class,
            f ->
                f.step(
                    "second",
                    SAY,
                    f.step("first", SAY, f.input()).with(job -> job.keepResult(Duration.ZERO))));
    start(worker());

    assertThat(client().runs().await(client().runs().start(flow, new Note("k")), SOON))
        .isEqualTo(new Note("k!!"));
  }

  @Test
  void aRerunKeepsTheOutputsBeforeTheGivenStep() throws Exception {
    Workflow<Note, Note> flow =
        Workflow.defineWithResult(
            "test::rerun", Note.class, f -> f.step("second", SAY, f.step("first", SAY, f.input())));
    start(worker());
    Started<Note> run = client().runs().start(flow, new Note("r"));
    client().runs().await(run, SOON);

    RunId again = client().runs().rerun(run.id(), List.of("second"), null);

    assertThat(client().runs().await(again, TypeRef.of(Note.class), SOON))
        .isEqualTo(new Note("r!!"));
    assertThat(client().runs().find(again).orElseThrow().origin()).hasValue(run.id());
    assertThat(log).containsExactly("r", "r!", "r!");
  }

  @Test
  void runsOfDifferentNodesAdvanceTogether() throws Exception {
    Workflow<Note, Note> flow =
        Workflow.defineWithResult(
            "test::many",
            Note.class,
            f -> f.step("c", SAY, f.step("b", SAY, f.step("a", SAY, f.input()))));
    start(worker());
    start(worker());
    List<Started<Note>> runs =
        IntStream.range(0, 50).mapToObj(i -> client().runs().start(flow, new Note("n"))).toList();

    for (Started<Note> run : runs) {
      assertThat(client().runs().await(run, SOON)).isEqualTo(new Note("n!!!"));
    }
    assertThat(log).hasSize(150);
    assertThat(client().runs().count(RunFilter.all().workflow("test::many")).byState())
        .containsEntry(RunState.SUCCEEDED, 50L);
  }

  /** Lets a node claim a job of a task, start it, and never be heard of again. */
  private void dieHoldingTask(String task) {
    var registration = registration("the-dead", SILENCE, Advice.NONE);
    store().nodes().register(registration);
    assertThat(
            store()
                .claims()
                .claim(
                    new ClaimRequest(
                        registration.incarnation(),
                        1,
                        "default",
                        List.of(task),
                        1,
                        0,
                        null,
                        ClaimRequest.Suspects.NONE,
                        Set.of())))
        .hasSize(1);
  }
}
