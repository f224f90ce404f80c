package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.JobRequest;
import dev.holdfast.api.StoreException;
import dev.holdfast.api.StoreException.Outcome;
import dev.holdfast.api.event.LifecycleEvent;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.FailedAttempt;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.policy.CrashPolicy;
import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.api.task.RecoveryPolicy;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.node.NodeBuilder;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.NodeStore.Advice;
import dev.holdfast.engine.store.Outcomes;
import dev.holdfast.engine.store.Recovery.RecoveryAction;
import dev.holdfast.engine.store.Store;
import dev.holdfast.tck.fault.FaultyStore;
import dev.holdfast.tck.fault.StoreMethod;
import dev.holdfast.tck.simulation.Interposed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** How the jobs of dead nodes are recovered, and how their crash policies decide. */
public abstract class TakeoverContract extends NodeTestBase {
  @Test
  void theJobsOfADeadNodeAreRunByAnother() throws Exception {
    Enqueued<String> running = client().enqueue(ECHO, new Note("running"));
    Enqueued<String> claimed = client().enqueue(ECHO, new Note("claimed"));
    dieHolding(1, 1);

    start(
        quick()
            .handle(
                ECHO, (note, context) -> note.text() + " under token " + context.fencingToken()));

    assertThat(client().await(running, SOON)).isEqualTo("running under token 2");
    assertThat(client().await(claimed, SOON)).isEqualTo("claimed under token 2");
    assertThat(job(running.id()).failures())
        .singleElement()
        .satisfies(crash -> {
          assertThat(crash.code()).isEqualTo(FailureCode.WORKER_CRASHED);
          assertThat(crash.node()).isEqualTo("the-dead");
          assertThat(crash.message()).contains("the-dead").contains("silent");
        });
    assertThat(job(running.id()).attempt()).isEqualTo(1);
    assertThat(job(claimed.id()).failures()).isEmpty();
    assertThat(meters.get("holdfast.nodes.died").counter().count()).isEqualTo(1);
    assertThat(meters.get("holdfast.jobs.recovered").counter().count()).isEqualTo(2);
  }

  @Test
  void jobsAreTakenBackEvenIfTheSessionsOfTheDeadCannotBeEnded() throws Exception {
    Enqueued<String> job = client().enqueue(ECHO, new Note("x"));
    dieHolding(1, 0);
    FaultyStore powerless = new FaultyStore(store());
    for (int i = 0; i < 1_000; i++) {
      powerless.refuse(StoreMethod.END_SESSIONS);
    }

    start(node(powerless).liveness(QUICK).handle(ECHO, (note, context) -> "by the living"));

    assertThat(client().await(job, SOON)).isEqualTo("by the living");
  }

  @Test
  void aStaleHoldersWriteIsRejectedAfterRecovery() throws Exception {
    Enqueued<String> job = client().enqueue(ECHO, new Note("x"));
    ClaimedJob held = dieHolding(1, 0).get(0);
    UUID dead = store().nodes().holderOf(job.id()).orElseThrow();
    start(quick().handle(ECHO, (note, context) -> "by the living"));
    client().await(job, SOON);

    List<Outcomes.Result> answer =
        store()
            .outcomes()
            .finish(dead, List.of(new Finish.Succeeded(held.claim(), "\"by the dead\"", null)));

    assertThat(answer).containsExactly(Outcomes.Result.LOST);
    assertThat(client().await(job, SOON)).isEqualTo("by the living");
  }

  @Test
  void aJobThatMustNotRunTwiceIsDeadLettered() {
    Enqueued<String> job =
        client().enqueue(ECHO, new Note("x"), options -> options.onCrash(CrashPolicy.fail()));
    dieHolding(1, 0);
    start(quick().handle(ECHO, (note, context) -> "never"));

    awaitState(job.id(), JobState.FAILED);
    assertThat(job(job.id()).failures())
        .extracting(FailedAttempt::code)
        .containsExactly(FailureCode.WORKER_CRASHED);
  }

  @Test
  void aJobThatCrashesTooOftenIsDeadLettered() {
    Enqueued<String> job =
        client().enqueue(ECHO, new Note("x"), options -> options.onCrash(CrashPolicy.retry(2)));
    dieHolding(1, 0);
    HoldfastNode sweeper = start(quick().queue("elsewhere", 1).handle(ECHO, (n, c) -> "never"));
    awaitState(job.id(), JobState.READY);
    dieHolding(1, 0);

    awaitState(job.id(), JobState.FAILED);
    assertThat(job(job.id()).failures()).hasSize(2);
    assertThat(sweeper.isReady()).isTrue();
  }

  @Test
  void aPolicyOfTheTasksOwnDecides() {
    List<RecoveryPolicy.Crash> asked = new CopyOnWriteArrayList<>();
    Enqueued<String> job =
        client()
            .enqueue(ECHO, new Note("x"), options -> options.onCrash(CrashPolicy.decidedByTask()));
    dieHolding(1, 0);
    start(
        quick()
            .handle(
                ECHO,
                (note, context) -> "never",
                crash -> {
                  asked.add(crash);
                  return new RecoveryPolicy.Decision.Fail("a human should look");
                }));

    awaitState(job.id(), JobState.FAILED);
    assertThat(job(job.id()).failures().get(0).message()).contains("a human should look");
    assertThat(asked).isNotEmpty();
    assertThat(asked.get(0).crashes()).isEqualTo(1);
    assertThat(asked.get(0).holder()).isEqualTo("the-dead");
  }

  @Test
  void aJobWhosePolicyNobodyKnowsHasTheSafeDefault() {
    Enqueued<String> job =
        client()
            .enqueue(ECHO, new Note("x"), options -> options.onCrash(CrashPolicy.decidedByTask()));
    dieHolding(1, 0);
    start(quick());

    awaitState(job.id(), JobState.READY);
  }

  @Test
  void aJobThatNobodyHasAPolicyForIsRunAgainByThoseWhoKnowItsTask() throws Exception {
    Enqueued<String> job =
        client()
            .enqueue(ECHO, new Note("x"), options -> options.onCrash(CrashPolicy.decidedByTask()));
    dieHolding(1, 0);
    start(quick().handle(ECHO, (note, context) -> "by one without a policy"));
    start(quick().handle(ECHO, (note, context) -> "by one without a policy"));

    assertThat(client().await(job, SOON)).isEqualTo("by one without a policy");
  }

  @Test
  void whatIsLeftToOthersDoesNotStandInTheWay() {
    int left = 1_000;
    List<JobRequest<Note, String>> asked = new ArrayList<>();
    for (int i = 0; i < left; i++) {
      asked.add(
          JobRequest.of(
              ECHO,
              new Note("asked about"),
              options -> options.onCrash(CrashPolicy.decidedByTask())));
    }
    JobId first = client().enqueueAll(asked).get(0).id();
    Enqueued<String> plain = client().enqueue(ECHO, new Note("plain"));
    store()
        .nodes()
        .register(card("adviser", Duration.ofHours(1), new Advice(Set.of(ECHO.name()), null)));
    assertThat(dieHolding(left + 1, 0)).hasSize(left + 1);
    start(quick());

    awaitState(plain.id(), JobState.READY);
    assertThat(job(first).state()).isEqualTo(JobState.RUNNING);
  }

  @Test
  void aPolicyMaySayWhatNoDatabaseTakes() {
    Enqueued<String> job =
        client()
            .enqueue(ECHO, new Note("x"), options -> options.onCrash(CrashPolicy.decidedByTask()));
    dieHolding(1, 0);
    start(
        quick()
            .handle(
                ECHO,
                (note, context) -> "never",
                crash -> new RecoveryPolicy.Decision.Fail("look at \0 this")));

    awaitState(job.id(), JobState.FAILED);
    assertThat(job(job.id()).failures().get(0).message()).contains("look at \uFFFD this");
  }

  @Test
  void aPolicyThatThrowsThreeTimesHasItsJobDeadLettered() {
    AtomicInteger thrown = new AtomicInteger();
    Enqueued<String> asked =
        client()
            .enqueue(ECHO, new Note("x"), options -> options.onCrash(CrashPolicy.decidedByTask()));
    Enqueued<String> plain = client().enqueue(ECHO, new Note("plain"));
    dieHolding(2, 0);
    start(
        quick()
            .queue("elsewhere", 1)
            .handle(
                ECHO,
                (note, context) -> "never",
                crash -> {
                  thrown.incrementAndGet();
                  throw new NoClassDefFoundError("it is not there");
                }));

    awaitState(plain.id(), JobState.READY);
    awaitState(asked.id(), JobState.FAILED);
    assertThat(thrown).hasValue(3);
    assertThat(job(asked.id()).failures())
        .singleElement()
        .satisfies(failure -> {
          assertThat(failure.code()).isEqualTo(FailureCode.WORKER_CRASHED);
          assertThat(failure.message())
              .contains("recovery policy failed 3 times")
              .contains("it is not there");
        });
  }

  @Test
  void aPolicyThatReturnsNothingHasItsJobDeadLettered() {
    Enqueued<String> asked =
        client()
            .enqueue(ECHO, new Note("x"), options -> options.onCrash(CrashPolicy.decidedByTask()));
    dieHolding(1, 0);
    RecoveryPolicy nothing = crash -> new RecoveryPolicy.Decision.RunAgain(noDelay());
    start(quick().queue("elsewhere", 1).handle(ECHO, (note, context) -> "never", nothing));

    awaitState(asked.id(), JobState.FAILED);
    assertThat(job(asked.id()).failures().get(0).message()).contains("NullPointerException");
  }

  @SuppressWarnings("NullAway")
  private static Duration noDelay() {
    return null;
  }

  @Test
  void aPolicyThatHangsHoldsNothingElseUp() {
    CountDownLatch never = new CountDownLatch(1);
    Enqueued<String> asked =
        client()
            .enqueue(ECHO, new Note("x"), options -> options.onCrash(CrashPolicy.decidedByTask()));
    Enqueued<String> plain = client().enqueue(ECHO, new Note("plain"));
    dieHolding(2, 0);
    start(
        quick()
            .queue("elsewhere", 1)
            .handle(
                ECHO,
                (note, context) -> "never",
                crash -> {
                  try {
                    never.await();
                  } catch (InterruptedException stop) {
                    Thread.currentThread().interrupt();
                  }
                  return new RecoveryPolicy.Decision.Fail("too late");
                }));
    awaitState(plain.id(), JobState.READY);
    Enqueued<String> later = client().enqueue(ECHO, new Note("later"));
    dieHolding(1, 0);

    awaitState(later.id(), JobState.READY);
    assertThat(job(asked.id()).state()).isEqualTo(JobState.RUNNING);
  }

  @Test
  void oneJobThatCannotBeTakenBackDoesNotHoldUpTheOthersOfItsHolder() {
    Enqueued<String> first = client().enqueue(ECHO, new Note("first"));
    Enqueued<String> bad = client().enqueue(ECHO, new Note("bad"));
    Enqueued<String> last = client().enqueue(ECHO, new Note("last"));
    dieHolding(3, 0);
    start(quick(refusing(Outcome.REFUSED, ruling -> ruling.claim().id().equals(bad.id()))));

    awaitState(first.id(), JobState.READY);
    awaitState(last.id(), JobState.READY);
    assertThat(job(bad.id()).state()).isEqualTo(JobState.RUNNING);
  }

  @Test
  void oneHolderWhoseJobsCannotBeTakenBackDoesNotHoldUpTheRest() {
    Enqueued<String> stuck = client().enqueue(ECHO, new Note("stuck"));
    dieHolding(1, 0);
    UUID dead = store().nodes().holderOf(stuck.id()).orElseThrow();
    assertThat(store().nodes().markDead(dead, 0, SILENCE)).isTrue();
    Enqueued<String> other = client().enqueue(ECHO, new Note("other"));
    dieHolding(1, 0);
    start(quick(refusing(Outcome.RETRYABLE, ruling -> ruling.claim().id().equals(stuck.id()))));

    // Its holder is found silent only by looks that follow each other.
    awaitState(other.id(), JobState.READY);
    assertThat(job(stuck.id()).state()).isEqualTo(JobState.RUNNING);
  }

  private NodeBuilder quick(Store own) {
    return node(own).liveness(QUICK);
  }

  /** A store that fails whenever it is to write such a ruling. */
  private Store refusing(Outcome outcome, Predicate<RecoveryAction> what) {
    return Interposed.on(
        store(),
        call -> {
          if (call.is(StoreMethod.RECOVER)
              && call.arguments().get(1) instanceof List<?> rulings
              && rulings.stream().map(RecoveryAction.class::cast).anyMatch(what)) {
            throw new StoreException(outcome, "It cannot be written.", null);
          }
          return call.proceed();
        });
  }

  @Test
  void whatWasClaimedOnlyIsTakenBackWhereRecoveryOfRunningJobsIsSwitchedOff() {
    Enqueued<String> running = client().enqueue(ECHO, new Note("running"));
    Enqueued<String> claimed = client().enqueue(ECHO, new Note("claimed"));
    dieHolding(1, 1);
    start(quick().liveness(QUICK.with(settings -> settings.recover(true, false))));

    awaitState(claimed.id(), JobState.READY);
    assertThat(job(running.id()).state()).isEqualTo(JobState.RUNNING);
  }

  @Test
  void listenersHearOfDeathAndRecovery() {
    List<LifecycleEvent> heard = new CopyOnWriteArrayList<>();
    client().enqueue(ECHO, new Note("x"));
    dieHolding(1, 0);
    start(quick().listener(heard::add));

    await()
        .atMost(SOON)
        .untilAsserted(() -> {
          assertThat(heard).anyMatch(event -> event instanceof LifecycleEvent.NodeDied);
          assertThat(heard).anyMatch(event -> event instanceof LifecycleEvent.Recovered);
        });
  }
}
