package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.workflow.MaxActive;
import dev.holdfast.api.workflow.Run;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.RunStep;
import dev.holdfast.api.workflow.Step;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.engine.node.NodeBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Why steps wait: one test for each reason. */
public abstract class WorkflowWaitContract extends WorkflowNodeBase {
  private static final TaskType<Note, Note> STOP =
      TaskType.of("wait::stop", Note.class, Note.class);
  private static final TaskType<Note, Note> FAIL =
      TaskType.of("wait::fail", Note.class, Note.class)
          .with(job -> job.retry(RetryPolicy.fixed(Duration.ofHours(1)).maxAttempts(3)));
  private static final TaskType<Note, Note> NOWHERE =
      TaskType.of("wait::nowhere", Note.class, Note.class);
  private static final Note NOTE = new Note("x");

  private static final Workflow<Note, Void> CHAIN =
      Workflow.define(
          "wait::chain",
          Note.class,
          flow -> {
            Step<Note> first = flow.step("first", STOP, flow.input());
            Step<Note> other = flow.step("other", STOP, flow.input());
            flow.step("last", STOP, first).after(other);
          });

  private final CountDownLatch released = new CountDownLatch(1);

  @AfterEach
  void release() {
    released.countDown();
  }

  private NodeBuilder worker() {
    return node()
        .handle(
            STOP,
            (note, context) -> {
              released.await();
              return note;
            })
        .handle(
            FAIL,
            (note, context) -> {
              throw new IllegalStateException("broken");
            });
  }

  private static Workflow<Note, Void> single(String name, TaskType<Note, Note> task) {
    return Workflow.define(name, Note.class, flow -> flow.step("only", task, flow.input()));
  }

  private RunId startRun(Workflow<Note, ?> workflow) {
    return client().runs().start(workflow, NOTE).id();
  }

  /** Waits until a step has this state, and returns why it waits. */
  private String why(RunId id, String name, StepState state) {
    Awaitility.await().atMost(SOON).until(() -> step(read(id), name).state() == state);
    return why(id, name);
  }

  private String why(RunId id, String name) {
    return step(read(id), name).waitsFor().orElseThrow();
  }

  private void awaitWhy(RunId id, String name, String text) {
    Awaitility.await().atMost(SOON).untilAsserted(() -> assertThat(why(id, name)).contains(text));
  }

  @Test
  void aStepNamesTheDependenciesThatHaveNotEnded() {
    start(worker());
    RunId id = startRun(CHAIN);

    assertThat(why(id, "last", StepState.PENDING)).isEqualTo("Waits for first, other.");
    assertThat(read(id).steps()).allMatch(step -> step.waitsFor().isPresent());
  }

  @Test
  void aStepSaysThatItsJobRuns() {
    start(worker());
    RunId id = startRun(single("wait::runs", STOP));

    awaitWhy(id, "only", "is RUNNING.");
  }

  @Test
  void aStepSaysThatItsJobWaitsForASlot() {
    start(worker().queue("default", 1));
    RunId busy = startRun(single("wait::busy", STOP));
    awaitWhy(busy, "only", "RUNNING");
    RunId id = startRun(single("wait::slot", STOP));

    assertThat(why(id, "only", StepState.ACTIVE)).contains("is READY", "for a free slot");
  }

  @Test
  void aStepNamesThePausedQueue() {
    start(worker());
    client().queues().pause("default");
    RunId id = startRun(single("wait::queue", STOP));

    assertThat(why(id, "only", StepState.ACTIVE)).contains("Queue 'default' is paused");
  }

  @Test
  void aStepNamesTheLimitOfItsTask() {
    start(worker());
    client().tasks().limit(STOP.name(), 1);
    RunId busy = startRun(single("wait::limited", STOP));
    awaitWhy(busy, "only", "RUNNING");
    RunId id = startRun(single("wait::limit", STOP));

    assertThat(why(id, "only", StepState.ACTIVE)).contains("limit of 1 jobs");
  }

  @Test
  void aStepNamesATaskThatNoNodeKnows() {
    start(worker());
    RunId id = startRun(single("wait::unknown", NOWHERE));

    assertThat(why(id, "only", StepState.ACTIVE))
        .contains("has a handler for task 'wait::nowhere'");
  }

  @Test
  void aStepThatFailedSaysWhenItsNextAttemptIs() {
    start(worker());
    RunId id = startRun(single("wait::backoff", FAIL));

    awaitWhy(id, "only", "is SCHEDULED: attempt 1 failed with TASK_FAILED, and the next one");
  }

  @Test
  void aStepThatSleepsSaysUntilWhen() {
    start(worker());
    Instant before = Instant.now();
    RunId id =
        startRun(
            Workflow.define(
                "wait::sleep", Note.class, flow -> flow.sleep("nap", Duration.ofHours(1))));

    String why = why(id, "nap", StepState.WAITING);
    assertThat(why).startsWith("Sleeps until ");
    assertThat(Instant.parse(why.substring("Sleeps until ".length(), why.length() - 1)))
        .isBetween(before.plusSeconds(3_590), Instant.now().plusSeconds(3_610));
  }

  @Test
  void aStepNamesTheSignalThatItAwaits() {
    start(worker());
    RunId id =
        startRun(
            Workflow.define(
                "wait::signal",
                Note.class,
                flow ->
                    flow.awaitSignal("approval", "approved", Note.class)
                        .within(Duration.ofHours(1))));
    RunId unlimited =
        startRun(
            Workflow.define(
                "wait::forever",
                Note.class,
                flow -> flow.awaitSignal("approval", "approved", Note.class)));

    assertThat(why(id, "approval", StepState.WAITING))
        .matches("Waits for signal 'approved', until 2.*Z at the latest\\.");
    assertThat(why(unlimited, "approval", StepState.WAITING))
        .isEqualTo("Waits for signal 'approved'.");
  }

  @Test
  void aStepNamesTheSignalThatItsHandlerAwaits() {
    TaskType<Note, Note> nap = TaskType.of("wait::nap", Note.class, Note.class);
    start(
        worker()
            .handle(
                nap,
                (note, context) -> {
                  context.steps().awaitSignal("paid", Duration.ofHours(1));
                  return note;
                }));
    RunId id = startRun(single("wait::durable", nap));

    awaitWhy(id, "only", "is WAITING: The handler waits for signal 'paid'");
  }

  @Test
  void aStepNamesItsChildRunWithItsState() {
    start(worker());
    Workflow<Note, Void> child = single("wait::child", STOP);
    RunId id =
        startRun(
            Workflow.define(
                "wait::parent", Note.class, flow -> flow.workflow("below", child, flow.input())));

    Awaitility.await().atMost(SOON).until(() -> step(read(id), "below").child().isPresent());
    RunId below = step(read(id), "below").child().orElseThrow();
    assertThat(why(id, "below")).isEqualTo("Its child run %s is RUNNING.".formatted(below));
    client().runs().pause(below);
    assertThat(why(id, "below")).isEqualTo("Its child run %s is PAUSED.".formatted(below));
  }

  @Test
  void aStepSaysThatItsRunIsPaused() {
    client().queues().pause("default");
    start(worker());
    RunId id = startRun(CHAIN);
    RunId asleep =
        startRun(
            Workflow.define(
                "wait::asleep", Note.class, flow -> flow.sleep("nap", Duration.ofHours(1))));
    client().runs().pause(id);
    client().runs().pause(asleep);

    assertThat(why(id, "first")).contains("is ON_HOLD", "Run " + id + " is paused");
    assertThat(why(asleep, "nap")).startsWith("Sleeps").endsWith("The run is paused: resume it.");
  }

  @Test
  void aStepOfAQueuedRunNamesTheFullWorkflow() {
    start(worker());
    Workflow<Note, Void> limited =
        Workflow.define(
            "wait::gate",
            Note.class,
            flow -> {
              flow.step("only", STOP, flow.input());
              flow.maxActive(MaxActive.of(1));
            });
    startRun(limited);
    RunId id = startRun(limited);

    assertThat(read(id).state()).isEqualTo(RunState.QUEUED);
    assertThat(why(id, "only"))
        .contains("The run is queued", "maximum number of runs of workflow 'wait::gate'");
  }

  @Test
  void aStepThatHasEndedWaitsForNothing() {
    released.countDown();
    start(worker());
    Run run = await(startRun(CHAIN), RunState.SUCCEEDED);

    assertThat(run.steps()).extracting(RunStep::waitsFor).allMatch(Optional::isEmpty);
  }
}
