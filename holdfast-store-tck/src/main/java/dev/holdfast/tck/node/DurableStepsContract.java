package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.job.CancelResult;
import dev.holdfast.api.job.FailedAttempt;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.SignalResult;
import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.api.run.DurableSteps;
import dev.holdfast.api.run.JournalMismatchException;
import dev.holdfast.api.run.ParallelStepException;
import dev.holdfast.api.run.TaskHandler;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.node.NodeBuilder;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Journals.EntryKey;
import dev.holdfast.engine.store.Journals.EntryKind;
import dev.holdfast.engine.store.Journals.JournalEntry;
import dev.holdfast.tck.fault.FaultyStore;
import dev.holdfast.tck.fault.StoreMethod;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Durable steps: what handlers execute once, however often they are called. */
public abstract class DurableStepsContract extends NodeTestBase {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration MOMENT = Duration.ofMillis(300);

  private final List<String> ran = new CopyOnWriteArrayList<>();

  private NodeBuilder handling(TaskHandler<Note, String> handler) {
    return node().handle(ECHO, handler);
  }

  private JobId enqueue(String text) {
    return client().enqueue(ECHO, new Note(text)).id();
  }

  private String step(DurableSteps steps, String name) throws Exception {
    String result =
        steps.run(
            name,
            String.class,
            () -> {
              ran.add(name);
              return "result of " + name;
            });
    assertThat(result).isEqualTo("result of " + name);
    return String.valueOf(result);
  }

  private String resultOf(JobId id) throws Exception {
    return String.valueOf(client().await(id, String.class, SOON));
  }

  private void awaitStateOf(JobId id, JobState state) {
    await().atMost(SOON).until(() -> job(id).state() == state);
  }

  private FailedAttempt failureOf(JobId id) {
    return awaitState(id, JobState.FAILED).failures().getLast();
  }

  @Test
  void aStepIsNotExecutedAgainAfterARetry() throws Exception {
    start(
        handling((note, context) -> {
          step(context.steps(), "a");
          if (context.attempt() == 1) {
            throw new IllegalStateException("after a");
          }
          step(context.steps(), "b");
          if (context.attempt() == 2) {
            throw new IllegalStateException("after b");
          }
          return "done";
        }));

    JobId id = enqueue("x");

    assertThat(resultOf(id)).isEqualTo("done");
    assertThat(ran).containsExactly("a", "b");
    assertThat(job(id).attempt()).isEqualTo(3);
  }

  @Test
  void aStepThatFailedIsExecutedAgain() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    start(
        handling((note, context) ->
            context
                .steps()
                .run(
                    "flaky",
                    String.class,
                    () -> {
                      if (calls.incrementAndGet() == 1) {
                        throw new IllegalStateException("once");
                      }
                      return "call " + calls.get();
                    })));

    assertThat(resultOf(enqueue("x"))).isEqualTo("call 2");
  }

  @Test
  void aHandlerCanRepeatAStepThatFailed() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    start(
        handling((note, context) -> {
          while (true) {
            try {
              context
                  .steps()
                  .run(
                      "flaky",
                      () -> {
                        if (calls.incrementAndGet() < 3) {
                          throw new IllegalStateException("again");
                        }
                      });
              break;
            } catch (IllegalStateException again) {
              assertThat(again).hasMessage("again");
            }
          }
          if (context.attempt() == 1) {
            throw new IllegalStateException("to be retried");
          }
          return "after " + calls.get();
        }));

    assertThat(resultOf(enqueue("x"))).isEqualTo("after 3");
  }

  @Test
  void stepsOfOneNameAreDistinguishedByTheirOccurrence() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    start(
        handling((note, context) -> {
          StringBuilder seen = new StringBuilder();
          for (int i = 0; i < 3; i++) {
            seen.append(context.steps().run("count", Integer.class, calls::incrementAndGet));
          }
          if (context.attempt() == 1) {
            throw new IllegalStateException("again");
          }
          return seen.toString();
        }));

    assertThat(resultOf(enqueue("x"))).isEqualTo("123");
    assertThat(calls).hasValue(3);
  }

  @Test
  void resultsCanBeGenericOrNull() throws Exception {
    start(
        handling((note, context) -> {
          Map<String, Integer> map =
              context
                  .steps()
                  .run("map", new TypeRef<Map<String, Integer>>() {}, () -> Map.of("a", 1));
          String nothing = context.steps().run("null", String.class, () -> null);
          if (context.attempt() == 1) {
            throw new IllegalStateException("again");
          }
          return map + " " + nothing;
        }));

    assertThat(resultOf(enqueue("x"))).isEqualTo("{a=1} null");
  }

  @Test
  void aStepIsNotExecutedAgainAfterTheNodeDied() throws Exception {
    JobId id = enqueue("x");
    ClaimedJob held = dieWithClaimedJobs(1, 0).getFirst();
    assertThat(
            store()
                .journals()
                .append(
                    store().nodes().holderOf(id).orElseThrow(),
                    held.claim(),
                    new JournalEntry(new EntryKey("a", 1), EntryKind.RUN, "\"result of a\"")))
        .isTrue();

    start(
        quick()
            .handle(
                ECHO,
                (note, context) -> step(context.steps(), "a") + ", " + step(context.steps(), "b")));

    assertThat(resultOf(id)).isEqualTo("result of a, result of b");
    assertThat(ran).containsExactly("b");
  }

  @Test
  void aStaleHolderCannotStoreAStep() throws Exception {
    FaultyStore faulty = new FaultyStore(store());
    CompletableFuture<Throwable> thrown = new CompletableFuture<>();
    CountDownLatch cut = new CountDownLatch(1);
    CountDownLatch taken = new CountDownLatch(1);
    start(
        node(faulty)
            .liveness(QUICK)
            .handle(
                ECHO,
                (note, context) -> {
                  try {
                    return context
                        .steps()
                        .run(
                            "a",
                            String.class,
                            () -> {
                              faulty.cut();
                              cut.countDown();
                              awaitUninterruptibly(taken);
                              return "stale";
                            });
                  } catch (Throwable failure) {
                    thrown.complete(failure);
                    throw failure;
                  }
                }));
    JobId id = enqueue("x");
    assertThat(cut.await(20, TimeUnit.SECONDS)).isTrue();
    start(
        quick()
            .handle(
                ECHO,
                (note, context) ->
                    context.steps().run("a", String.class, () -> "by " + context.fencingToken())));

    assertThat(resultOf(id)).isEqualTo("by 2");
    faulty.heal();
    taken.countDown();
    assertThat(thrown.get(20, TimeUnit.SECONDS)).isInstanceOf(CancellationException.class);
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    while (true) {
      try {
        latch.await();
        return;
      } catch (InterruptedException ignored) {
        assertThat(latch.getCount()).isPositive(); // The handler does not respond to interruption.
      }
    }
  }

  @Test
  void eachStepIsOneCallAndTheJournalIsReadOnce() throws Exception {
    FaultyStore counting = new FaultyStore(store());
    start(
        node(counting)
            .handle(
                ECHO,
                (note, context) -> {
                  for (int i = 0; i < 5; i++) {
                    step(context.steps(), "step-" + i);
                  }
                  if (context.attempt() == 1) {
                    throw new IllegalStateException("again");
                  }
                  return "done";
                }));

    assertThat(resultOf(enqueue("x"))).isEqualTo("done");
    assertThat(counting.calls(StoreMethod.APPEND)).isEqualTo(5);
    assertThat(counting.calls(StoreMethod.LOAD)).isEqualTo(1);
  }

  @Test
  void aStepWhoseReplyWasLostIsStoredOnce() throws Exception {
    FaultyStore faulty = new FaultyStore(store()).loseReply(StoreMethod.APPEND);
    start(
        node(faulty)
            .handle(
                ECHO, (note, context) -> step(context.steps(), "a") + step(context.steps(), "b")));

    JobId id = enqueue("x");

    assertThat(resultOf(id)).isEqualTo("result of aresult of b");
    assertThat(job(id).attempt()).isEqualTo(1);
    assertThat(ran).containsExactly("a", "b");
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
  void aStepOfAnotherKindIsAMismatchThatIsNotRetried() {
    start(
        handling((note, context) -> {
          if (context.attempt() == 1) {
            step(context.steps(), "a");
            throw new IllegalStateException("again");
          }
          context.steps().sleep("a", HOUR);
          return "never";
        }));
    JobId id = enqueue("x");

    FailedAttempt failure = failureOf(id);
    assertThat(failure.code()).isEqualTo(FailureCode.JOURNAL_MISMATCH);
    assertThat(failure.attempt()).isEqualTo(2);
    assertThat(failure.message()).contains(id.toString(), "'a'", "RUN", "SLEEP", "patched");
  }

  @Test
  void anEntryThatCannotBeDecodedIsAMismatch() {
    start(
        handling((note, context) -> {
          if (context.attempt() == 1) {
            step(context.steps(), "a");
            throw new IllegalStateException("again");
          }
          return "never " + context.steps().run("a", Integer.class, () -> 1);
        }));

    FailedAttempt failure = failureOf(enqueue("x"));
    assertThat(failure.code()).isEqualTo(FailureCode.JOURNAL_MISMATCH);
    assertThat(failure.message()).contains("'a'", "Integer");
  }

  @Test
  void anEntryThatTheHandlerLeavesUnreadIsAMismatch() {
    start(
        handling((note, context) -> {
          step(context.steps(), "a");
          if (context.attempt() == 1) {
            step(context.steps(), "b");
            throw new IllegalStateException("again");
          }
          return "without b";
        }));

    FailedAttempt failure = failureOf(enqueue("x"));
    assertThat(failure.code()).isEqualTo(FailureCode.JOURNAL_MISMATCH);
    assertThat(failure.message()).contains("'b'");
  }

  @Test
  void aMismatchThatTheHandlerCatchesFailsTheJobAllTheSame() {
    start(
        handling((note, context) -> {
          if (context.attempt() == 1) {
            step(context.steps(), "a");
            throw new IllegalStateException("again");
          }
          try {
            context.steps().sleep("a", HOUR);
          } catch (JournalMismatchException caught) {
            return "caught";
          }
          return "never";
        }));

    assertThat(failureOf(enqueue("x")).code()).isEqualTo(FailureCode.JOURNAL_MISMATCH);
  }

  @Test
  void patchedIsFalseForAJobThatPassedThePlaceWithTheOldCodeAndTrueForOthers() throws Exception {
    start(
        handling((note, context) -> {
          DurableSteps steps = context.steps();
          boolean oldCode = note.text().equals("old") && context.attempt() == 1;
          if (!oldCode && steps.patched("with-fraud-check")) {
            step(steps, "fraud");
          }
          step(steps, "charge");
          if (context.attempt() == 1) {
            throw new IllegalStateException("again");
          }
          return steps.patched("with-fraud-check") ? "new code" : "old code";
        }));

    assertThat(resultOf(enqueue("old"))).isEqualTo("old code");
    assertThat(ran).containsExactly("charge");
    assertThat(resultOf(enqueue("new"))).isEqualTo("new code");
    assertThat(ran).containsExactly("charge", "fraud", "charge");
  }

  @Test
  void aPatchThatIsNoLongerAskedForIsNoMismatch() throws Exception {
    start(
        handling((note, context) -> {
          if (context.attempt() == 1) {
            context.steps().patched("old-patch");
            throw new IllegalStateException("again");
          }
          return step(context.steps(), "a");
        }));

    assertThat(resultOf(enqueue("x"))).isEqualTo("result of a");
  }

  @Test
  void stepsOfDifferentNamesCanRunAtTheSameTime() throws Exception {
    start(
        handling((note, context) -> {
          CountDownLatch both = new CountDownLatch(2);
          List<CompletableFuture<String>> parts =
              List.of("left", "right").stream()
                  .map(name -> inThread(() -> together(context.steps(), name, both)))
                  .toList();
          String result = parts.get(0).get() + " " + parts.get(1).get();
          if (context.attempt() == 1) {
            throw new IllegalStateException("again");
          }
          return result;
        }));

    assertThat(resultOf(enqueue("x"))).isEqualTo("left right");
    assertThat(ran).containsExactlyInAnyOrder("left", "right");
  }

  private String together(DurableSteps steps, String name, CountDownLatch both) throws Exception {
    return String.valueOf(
        steps.run(
            name,
            String.class,
            () -> {
              ran.add(name);
              both.countDown();
              assertThat(both.await(20, TimeUnit.SECONDS)).isTrue();
              return name;
            }));
  }

  private static CompletableFuture<String> inThread(Callable<String> work) {
    CompletableFuture<String> result = new CompletableFuture<>();
    Thread.ofVirtual()
        .start(() -> {
          try {
            result.complete(work.call());
          } catch (Throwable failure) {
            result.completeExceptionally(failure);
          }
        });
    return result;
  }

  @Test
  void stepsOfOneNameAtTheSameTimeAreRefused() throws Exception {
    start(
        handling((note, context) ->
            context
                .steps()
                .run(
                    "a",
                    String.class,
                    () -> {
                      Throwable refused =
                          inThread(() -> context.steps().run("a", String.class, () -> "second"))
                              .handle((value, failure) -> failure)
                              .get();
                      assertThat(refused)
                          .isInstanceOf(ParallelStepException.class)
                          .isInstanceOf(IllegalStateException.class)
                          .hasMessageContaining("'a'");
                      return "first";
                    })));

    assertThat(resultOf(enqueue("x"))).isEqualTo("first");
  }

  @Test
  void aResultThatIsTooLargeFailsTheJobWithoutARetry() {
    start(
        handling((note, context) ->
            context.steps().run("big", String.class, () -> "x".repeat(1 << 20))));

    FailedAttempt failure = failureOf(enqueue("x"));
    assertThat(failure.code()).isEqualTo(FailureCode.BAD_RESULT);
    assertThat(failure.message()).contains("'big'", String.valueOf(1 << 20));
    assertThat(failure.attempt()).isEqualTo(1);
  }

  @Test
  void aDeadLetteredJobThatIsRetriedContinuesWithItsJournal() throws Exception {
    AtomicInteger fixed = new AtomicInteger();
    start(
        handling((note, context) -> {
          step(context.steps(), "a");
          if (fixed.get() == 0) {
            throw new IllegalStateException("broken");
          }
          return "fixed";
        }));
    JobId id = enqueue("x");
    awaitState(id, JobState.FAILED);
    fixed.set(1);

    client().retry(id);

    await().atMost(SOON).until(() -> job(id).state() == JobState.SUCCEEDED);
    assertThat(ran).containsExactly("a");
  }

  @Test
  void stepsAfterTheHandlerReturnedAreRefused() throws Exception {
    CompletableFuture<DurableSteps> kept = new CompletableFuture<>();
    start(
        handling((note, context) -> {
          kept.complete(context.steps());
          return "done";
        }));
    assertThat(resultOf(enqueue("x"))).isEqualTo("done");

    assertThatThrownBy(() -> kept.join().run("late", () -> ran.add("late")))
        .isInstanceOf(CancellationException.class);
    assertThat(ran).isEmpty();
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
