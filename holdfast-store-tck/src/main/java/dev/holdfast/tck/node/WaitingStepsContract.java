package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.job.CancelResult;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.SignalResult;
import dev.holdfast.api.run.TaskHandler;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.node.NodeBuilder;
import dev.holdfast.tck.fault.FaultyStore;
import dev.holdfast.tck.fault.StoreMethod;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Handlers that sleep and await signals, without a slot and a thread. */
public abstract class WaitingStepsContract extends DurableStepsBase {
  private void awaitStateOf(JobId id, JobState state) {
    await().atMost(SOON).until(() -> job(id).state() == state);
  }

  @Test
  void sleepReleasesTheSlot() throws Exception {
    CountDownLatch ended = new CountDownLatch(1);
    start(
        handling(
                (note, context) -> {
                  if (note.text().equals("sleeper")) {
                    context.steps().sleep("nap", HOUR);
                  }
                  ended.countDown();
                  return "done";
                })
            .queue("default", 1));
    JobId sleeper = enqueue("sleeper");
    awaitStateOf(sleeper, JobState.WAITING);

    assertThat(resultOf(enqueue("other"))).isEqualTo("done");
    assertThat(job(sleeper).state()).isEqualTo(JobState.WAITING);
  }

  @Test
  void aHandlerContinuesAfterItsSleepWithoutUsingAnAttempt() throws Exception {
    start(
        handling((note, context) -> {
          step(context.steps(), "a");
          context.steps().sleep("nap", MOMENT);
          step(context.steps(), "b");
          context.steps().sleep("nap", MOMENT);
          return "attempt %d, token %d".formatted(context.attempt(), context.fencingToken());
        }));

    assertThat(resultOf(enqueue("x"))).isEqualTo("attempt 1, token 3");
    assertThat(ran).containsExactly("a", "b");
  }

  @Test
  void aSleepTakesAtLeastItsTime() throws Exception {
    start(
        handling((note, context) -> {
          context.steps().sleep("nap", MOMENT);
          return "awake";
        }));
    long before = System.nanoTime();

    assertThat(resultOf(enqueue("x"))).isEqualTo("awake");

    assertThat(Duration.ofNanos(System.nanoTime() - before)).isGreaterThanOrEqualTo(MOMENT);
  }

  @Test
  void aSleepSurvivesTheEndOfItsNode() throws Exception {
    TaskHandler<Note, String> handler =
        (note, context) -> {
          step(context.steps(), "a");
          context.steps().sleep("nap", HOUR);
          return context.node();
        };
    HoldfastNode first = start(node().id("first").handle(ECHO, handler));
    JobId id = enqueue("x");
    awaitStateOf(id, JobState.WAITING);
    first.close();
    start(node().id("second").handle(ECHO, handler));
    assertThat(job(id).state()).isEqualTo(JobState.WAITING);

    client().requeue(id);

    assertThat(resultOf(id)).isEqualTo("second");
    assertThat(ran).containsExactly("a");
  }

  @Test
  void aHandlerThatCatchesEverythingIsParkedAllTheSame() throws Exception {
    start(
        handling((note, context) -> {
          try {
            context.steps().sleep("nap", MOMENT);
          } catch (Throwable caught) {
            return "swallowed";
          }
          return "awake";
        }));

    assertThat(resultOf(enqueue("x"))).isEqualTo("awake");
  }

  @Test
  void codeInFinallyIsExecutedBeforeTheJobCanRunElsewhere() throws Exception {
    List<String> log = new CopyOnWriteArrayList<>();
    start(
        handling((note, context) -> {
          long token = context.fencingToken();
          log.add("start " + token);
          try {
            context.steps().sleep("nap", Duration.ZERO);
            return "awake";
          } finally {
            log.add("end " + token);
          }
        }));

    assertThat(resultOf(enqueue("x"))).isEqualTo("awake");
    assertThat(log).containsExactly("start 1", "end 1", "start 2", "end 2");
  }

  @Test
  void aCancelledWaitingJobEnds() {
    start(
        handling((note, context) -> {
          context.steps().sleep("nap", HOUR);
          return "never";
        }));
    JobId id = enqueue("x");
    awaitStateOf(id, JobState.WAITING);

    assertThat(client().cancel(id)).isEqualTo(CancelResult.CANCELLED);
    assertThat(job(id).state()).isEqualTo(JobState.CANCELLED);
  }

  private NodeBuilder awaitingApproval(Duration timeout) {
    return handling((note, context) -> {
      Optional<String> approval = context.steps().awaitSignal("approved", String.class, timeout);
      step(context.steps(), "a");
      if (context.attempt() == 1) {
        throw new IllegalStateException("again");
      }
      return approval.map(by -> "approved by " + by).orElse("timed out");
    });
  }

  @Test
  void aSignalContinuesTheJobThatAwaitsIt() throws Exception {
    start(awaitingApproval(HOUR));
    JobId id = enqueue("x");
    awaitStateOf(id, JobState.WAITING);

    assertThat(client().signal(id, "approved", "ada")).isEqualTo(SignalResult.SENT);

    assertThat(resultOf(id)).isEqualTo("approved by ada");
    assertThat(ran).containsExactly("a");
  }

  @Test
  void aSignalThatWasSentBeforeIsReceivedWithoutWaiting() throws Exception {
    JobId id = enqueue("x");
    client().signal(id, "approved", "ada");

    start(awaitingApproval(HOUR));

    assertThat(resultOf(id)).isEqualTo("approved by ada");
    assertThat(job(id).fencingToken()).as("two attempts, and no wait").isEqualTo(2);
  }

  @Test
  void anAwaitThatTimesOutIsEmptyForAllAttempts() throws Exception {
    start(awaitingApproval(MOMENT));

    assertThat(resultOf(enqueue("x"))).isEqualTo("timed out");
  }

  @Test
  void anAwaitWithoutTimeoutTakesOnlyWhatIsThere() throws Exception {
    start(awaitingApproval(Duration.ZERO));
    JobId id = enqueue("x");

    assertThat(resultOf(id)).isEqualTo("timed out");
    assertThat(job(id).fencingToken()).isEqualTo(2);
  }

  @Test
  void aSignalIsReceivedOnceAndDuplicatesAreIgnored() throws Exception {
    start(
        handling((note, context) ->
            "%s %s %s"
                .formatted(
                    context.steps().awaitSignal("s", Integer.class, HOUR),
                    context.steps().awaitSignal("s", Integer.class, HOUR),
                    context.steps().awaitSignal("s", MOMENT))));
    JobId id = enqueue("x");

    assertThat(client().signal(id, "s", 1, signal -> signal.id("a"))).isEqualTo(SignalResult.SENT);
    assertThat(client().signal(id, "s", 2, signal -> signal.id("a")))
        .isEqualTo(SignalResult.DUPLICATE);
    awaitStateOf(id, JobState.WAITING);
    client().signal(id, "s", 3, signal -> signal.id("b"));

    assertThat(resultOf(id)).isEqualTo("Optional[1] Optional[3] false");
    assertThat(client().signal(id, "s", 4)).isEqualTo(SignalResult.ENDED);
  }

  @Test
  void aSignalWhoseReplyWasLostIsSentOnce() throws Exception {
    FaultyStore faulty = new FaultyStore(store()).loseReply(StoreMethod.SEND_SIGNAL);
    start(
        handling((note, context) ->
            context.steps().awaitSignal("s", Integer.class, HOUR)
                + " "
                + context.steps().awaitSignal("s", Integer.class, MOMENT)));
    JobId id = enqueue("x");

    try (Holdfast sender = HoldfastClient.on(faulty)) {
      assertThat(sender.signal(id, "s", 1)).isEqualTo(SignalResult.SENT);
    }

    assertThat(resultOf(id)).isEqualTo("Optional[1] Optional.empty");
  }

  @Test
  void aSignalToAnUnknownJobIsRefused() {
    JobId unknown = new JobId(UUID.randomUUID());

    assertThat(client().signal(unknown, "s", 1)).isEqualTo(SignalResult.NOT_FOUND);
    assertThatThrownBy(() -> client().signal(unknown, "Not valid", 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Not valid");
  }

  @Test
  void aWaitingJobShowsInListsAsWaiting() {
    start(
        handling((note, context) -> {
          context.steps().sleep("nap", HOUR);
          return "never";
        }));
    JobId id = enqueue("x");

    Job waiting = awaitState(id, JobState.WAITING);

    assertThat(waiting.attempt()).isZero();
    assertThat(client().whyWaiting(id))
        .hasValueSatisfying(why -> assertThat(why.describe()).contains("sleeps"));
  }
}
