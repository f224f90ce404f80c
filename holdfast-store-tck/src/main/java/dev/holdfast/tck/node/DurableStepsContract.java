package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.job.FailedAttempt;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.api.run.DurableSteps;
import dev.holdfast.api.run.ParallelStepException;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Journals.EntryKey;
import dev.holdfast.engine.store.Journals.EntryKind;
import dev.holdfast.engine.store.Journals.JournalEntry;
import dev.holdfast.tck.fault.FaultyStore;
import dev.holdfast.tck.fault.StoreMethod;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Durable steps: what handlers execute once, however often they are called. */
public abstract class DurableStepsContract extends DurableStepsBase {
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
    assertThat(failure.code()).isEqualTo(FailureCode.OUTPUT_TOO_LARGE);
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
}
