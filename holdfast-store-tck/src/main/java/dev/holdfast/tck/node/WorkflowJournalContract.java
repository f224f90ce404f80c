package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.job.FailedAttempt;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.run.TaskContext;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.workflow.Run;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.RunStep;
import dev.holdfast.api.workflow.Step;
import dev.holdfast.api.workflow.Workflow;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Durable steps in the steps of runs that are retried. */
public abstract class WorkflowJournalContract extends WorkflowNodeBase {
  private static final TaskType<Note, Note> FIRST =
      TaskType.of("journal::first", Note.class, Note.class)
          .with(job -> job.retry(RetryPolicy.fixed(Duration.ofMillis(1)).maxAttempts(1)));
  private static final TaskType<Note, Note> BUY =
      TaskType.of("journal::buy", Note.class, Note.class)
          .with(job -> job.retry(RetryPolicy.fixed(Duration.ofMillis(1)).maxAttempts(2)));

  private static final Workflow<Note, Void> FLOW =
      Workflow.define(
          "journal::flow",
          Note.class,
          flow -> {
            Step<Note> first = flow.step("first", FIRST, flow.input());
            flow.step("buy", BUY, first);
          });

  private final AtomicBoolean broken = new AtomicBoolean(true);
  private final List<String> executed = new CopyOnWriteArrayList<>();
  private final List<Long> tokens = new CopyOnWriteArrayList<>();
  private final List<JobId> jobs = new CopyOnWriteArrayList<>();

  private Note buy(Note note, TaskContext context) throws Exception {
    jobs.add(context.jobId());
    tokens.add(context.fencingToken());
    context.steps().run("charge", () -> executed.add("charge " + note.text()));
    if (broken.get()) {
      throw new IllegalStateException("out of stock");
    }
    context.steps().run("ship", () -> executed.add("ship"));
    return note;
  }

  @Test
  void theDurableStepsOfARetriedStepAreNotExecutedAgain() {
    start(node().handle(FIRST, (note, context) -> note).handle(BUY, this::buy));
    RunId id = client().runs().start(FLOW, new Note("x")).id();
    JobId failed = step(await(id, RunState.FAILED), "buy").job().orElseThrow();
    assertThat(executed).containsExactly("charge x");
    broken.set(false);

    client().runs().retry(id);
    Run run = await(id, RunState.SUCCEEDED);

    assertThat(executed).containsExactly("charge x", "ship");
    assertThat(jobs).hasSize(3).containsOnly(failed);
    assertThat(tokens).isSorted().doesNotHaveDuplicates();
    RunStep buy = step(run, "buy");
    assertThat(buy.job()).contains(failed);
    assertThat(buy.failures()).hasSize(2);
  }

  @Test
  void aStepWithAnotherPayloadStartsOver() {
    AtomicInteger calls = new AtomicInteger();
    Workflow<Note, Void> plain =
        Workflow.define(
            "journal::plain",
            Note.class,
            flow -> {
              Step<Note> first = flow.step("first", FIRST, flow.input()).compensate(FIRST);
              flow.step("buy", BUY, first);
            });
    start(
        node()
            .handle(FIRST, (note, context) -> new Note(note.text() + calls.incrementAndGet()))
            .handle(BUY, this::buy));
    RunId id = client().runs().start(plain, new Note("x")).id();
    await(id, RunState.FAILED);
    broken.set(false);

    client().runs().retry(id); // The first step was undone, so it runs again.
    await(id, RunState.SUCCEEDED);

    assertThat(executed).containsExactly("charge x1", "charge x3", "ship");
    assertThat(jobs.getFirst()).isNotEqualTo(jobs.getLast());
  }

  @Test
  void theDurableStepsOfACancelledStepAreNotExecutedAgain() throws Exception {
    CountDownLatch charged = new CountDownLatch(1);
    AtomicBoolean waits = new AtomicBoolean(true);
    start(
        node()
            .handle(FIRST, (note, context) -> note)
            .handle(
                BUY,
                (note, context) -> {
                  context.steps().run("charge", () -> executed.add("charge"));
                  charged.countDown();
                  if (waits.get()) {
                    new CountDownLatch(1).await();
                  }
                  return note;
                }));
    RunId id = client().runs().start(FLOW, new Note("x")).id();
    charged.await();
    client().runs().cancel(id, "wrong address");
    await(id, RunState.CANCELLED);
    waits.set(false);

    client().runs().retry(id);
    await(id, RunState.SUCCEEDED);

    assertThat(executed).containsExactly("charge");
  }

  @Test
  void aMismatchNamesTheRunTheStepTheJobAndTheEntry() {
    start(
        node()
            .handle(FIRST, (note, context) -> note)
            .handle(
                BUY,
                (note, context) -> {
                  if (context.attempt() == 1) {
                    context.steps().run("charge", () -> executed.add("charge"));
                    throw new IllegalStateException("again");
                  }
                  return note; // Without steps().
                }));
    RunId id = client().runs().start(FLOW, new Note("x")).id();

    Awaitility.await().atMost(SOON).until(() -> read(id).reason().isPresent());
    Run run = read(id);
    RunStep buy = step(run, "buy");

    assertThat(run.state()).isEqualTo(RunState.RUNNING);
    assertThat(run.reason().orElseThrow())
        .startsWith("VERSION_STRANDED")
        .contains("step 'buy' of run " + id)
        .contains("job " + buy.job().orElseThrow())
        .contains("step 'charge', occurrence 1");
    assertThat(client().find(buy.job().orElseThrow()).orElseThrow().failures())
        .extracting(FailedAttempt::code)
        .containsExactly(FailureCode.TASK_FAILED, FailureCode.JOURNAL_MISMATCH);
    assertThat(buy.output()).isEmpty();
  }
}
