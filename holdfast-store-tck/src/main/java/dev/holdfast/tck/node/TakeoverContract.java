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
import dev.holdfast.api.task.TaskType;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.node.LivenessSettings;
import dev.holdfast.engine.node.NodeBuilder;
import dev.holdfast.engine.store.ClaimRequest;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.NodeStore.Advice;
import dev.holdfast.engine.store.NodeStore.NodeRegistration;
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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** How the jobs of dead nodes are recovered, and how recovery policies decide. */
public abstract class TakeoverContract extends NodeTestBase {
  @Test
  void theJobsOfADeadNodeRunOnAnotherNode() throws Exception {
    Enqueued<String> running = client().enqueue(ECHO, new Note("running"));
    Enqueued<String> claimed = client().enqueue(ECHO, new Note("claimed"));
    dieWithClaimedJobs(1, 1);

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
  void jobsAreRecoveredEvenIfTheSessionsOfTheDeadNodeCannotBeTerminated() throws Exception {
    Enqueued<String> job = client().enqueue(ECHO, new Note("x"));
    dieWithClaimedJobs(1, 0);
    FaultyStore powerless = new FaultyStore(store());
    for (int i = 0; i < 1_000; i++) {
      powerless.failNext(StoreMethod.END_SESSIONS);
    }

    start(node(powerless).liveness(QUICK).handle(ECHO, (note, context) -> "by the living"));

    assertThat(client().await(job, SOON)).isEqualTo("by the living");
  }

  @Test
  void aStaleHoldersWriteIsRejectedAfterRecovery() throws Exception {
    Enqueued<String> job = client().enqueue(ECHO, new Note("x"));
    ClaimedJob held = dieWithClaimedJobs(1, 0).get(0);
    UUID dead = store().nodes().holderOf(job.id()).orElseThrow();
    start(quick().handle(ECHO, (note, context) -> "by the living"));
    client().await(job, SOON);

    List<Outcomes.Result> returned =
        store()
            .outcomes()
            .finish(dead, List.of(new Finish.Succeeded(held.claim(), "\"by the dead\"", null)));

    assertThat(returned).containsExactly(Outcomes.Result.LOST);
    assertThat(client().await(job, SOON)).isEqualTo("by the living");
  }

  @Test
  void aJobThatMustNotRunTwiceIsDeadLettered() {
    Enqueued<String> job =
        client().enqueue(ECHO, new Note("x"), options -> options.onCrash(CrashPolicy.fail()));
    dieWithClaimedJobs(1, 0);
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
    dieWithClaimedJobs(1, 0);
    HoldfastNode sweeper = start(quick().queue("elsewhere", 1).handle(ECHO, (n, c) -> "never"));
    awaitState(job.id(), JobState.READY);
    dieWithClaimedJobs(1, 0);

    awaitState(job.id(), JobState.FAILED);
    assertThat(job(job.id()).failures()).hasSize(2);
    assertThat(sweeper.isReady()).isTrue();
  }

  @Test
  void theRecoveryPolicyOfATaskDecides() {
    List<RecoveryPolicy.Crash<Note>> asked = new CopyOnWriteArrayList<>();
    Enqueued<String> job =
        client()
            .enqueue(
                ECHO,
                new Note("x"),
                options -> options.onCrash(CrashPolicy.decidedByTask()).tags("urgent", "eu"));
    dieWithClaimedJobs(1, 0);
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
    assertThat(asked.get(0).job()).isEqualTo(job.id());
    assertThat(asked.get(0).task()).isEqualTo(ECHO.name());
    assertThat(asked.get(0).queue()).isEqualTo("default");
    assertThat(asked.get(0).attempt()).isEqualTo(1);
    assertThat(asked.get(0).sinceLastHeartbeat()).isGreaterThanOrEqualTo(SILENCE);
    assertThat(asked.get(0).payload()).isEqualTo(new Note("x"));
    assertThat(asked.get(0).tags()).containsExactlyInAnyOrder("urgent", "eu");
  }

  @Test
  void aRecoveryPolicyCanUsePayloadAndTags() throws Exception {
    Enqueued<String> again = crashing(new Note("again"), "x");
    Enqueued<String> failing = crashing(new Note("failing"), "x");
    Enqueued<String> barred = crashing(new Note("again"), "once");
    dieWithClaimedJobs(3, 0);
    start(
        quick()
            .handle(
                ECHO,
                (note, context) -> "done",
                crash ->
                    new Note("again").equals(crash.payload()) && !crash.tags().contains("once")
                        ? new RecoveryPolicy.Decision.RunAgain(Duration.ZERO)
                        : new RecoveryPolicy.Decision.Fail("by payload or tag")));

    assertThat(client().await(again, SOON)).isEqualTo("done");
    awaitState(failing.id(), JobState.FAILED);
    awaitState(barred.id(), JobState.FAILED);
  }

  private Enqueued<String> crashing(Note note, String tag) {
    return client()
        .enqueue(ECHO, note, options -> options.onCrash(CrashPolicy.decidedByTask()).tags(tag));
  }

  @Test
  void aRecoveryPolicyThatCannotReadThePayloadFails() {
    TaskType<Integer, String> other = TaskType.of(ECHO.name(), Integer.class, String.class);
    Enqueued<String> job = crashing(new Note("not a number"), "x");
    dieWithClaimedJobs(1, 0);
    start(
        quick()
            .handle(
                other,
                (number, context) -> "never",
                crash -> new RecoveryPolicy.Decision.Fail("it was " + crash.payload())));

    awaitState(job.id(), JobState.FAILED);
    assertThat(job(job.id()).failures().get(0).message())
        .contains("recovery policy failed 3 times")
        .contains("CodecException");
  }

  @Test
  void aJobForWhichNoNodeHasARecoveryPolicyIsDeadLetteredAfterTheWait() {
    Enqueued<String> job = crashing(new Note("x"), "x");
    dieWithClaimedJobs(1, 0);
    LivenessSettings brief =
        QUICK.with(settings -> settings.awaitRecoveryPolicy(Duration.ofMillis(300)));
    start(quick().liveness(brief));
    start(quick().liveness(brief).handle(ECHO, (note, context) -> "by one without a policy"));

    awaitState(job.id(), JobState.FAILED);
    assertThat(job(job.id()).failures())
        .singleElement()
        .satisfies(failure -> {
          assertThat(failure.code()).isEqualTo(FailureCode.WORKER_CRASHED);
          assertThat(failure.message()).contains("no live node has a recovery policy");
        });
  }

  @Test
  void aNodeThatStartsDuringTheWaitDecides() {
    Enqueued<String> job = crashing(new Note("x"), "x");
    dieWithClaimedJobs(1, 0);
    UUID dead = store().nodes().holderOf(job.id()).orElseThrow();
    start(quick());
    await().atMost(SOON).until(() -> !isAlive(dead));

    start(
        quick()
            .handle(
                ECHO,
                (note, context) -> "never",
                crash -> new RecoveryPolicy.Decision.Fail("in time")));

    awaitState(job.id(), JobState.FAILED);
    assertThat(job(job.id()).failures().get(0).message()).contains("in time");
  }

  private boolean isAlive(UUID incarnation) {
    return client().nodes().list().stream()
        .anyMatch(node -> node.incarnation().equals(incarnation) && node.alive());
  }

  @Test
  void jobsLeftToOtherNodesDoNotBlockRecovery() {
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
        .register(
            registration("adviser", Duration.ofHours(1), new Advice(Set.of(ECHO.name()), null)));
    assertThat(dieWithClaimedJobs(left + 1, 0)).hasSize(left + 1);
    start(quick());

    awaitState(plain.id(), JobState.READY);
    assertThat(job(first).state()).isEqualTo(JobState.RUNNING);
  }

  @Test
  void charactersThatCannotBeStoredAreReplacedInTheReasonOfARecoveryPolicy() {
    Enqueued<String> job =
        client()
            .enqueue(ECHO, new Note("x"), options -> options.onCrash(CrashPolicy.decidedByTask()));
    dieWithClaimedJobs(1, 0);
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
  void aJobWhoseRecoveryPolicyThrowsThreeTimesIsDeadLettered() {
    AtomicInteger thrown = new AtomicInteger();
    Enqueued<String> asked =
        client()
            .enqueue(ECHO, new Note("x"), options -> options.onCrash(CrashPolicy.decidedByTask()));
    Enqueued<String> plain = client().enqueue(ECHO, new Note("plain"));
    dieWithClaimedJobs(2, 0);
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
  void aJobWhoseRecoveryPolicyReturnsNullIsDeadLettered() {
    Enqueued<String> asked =
        client()
            .enqueue(ECHO, new Note("x"), options -> options.onCrash(CrashPolicy.decidedByTask()));
    dieWithClaimedJobs(1, 0);
    RecoveryPolicy<Note> nothing = crash -> new RecoveryPolicy.Decision.RunAgain(noDelay());
    start(quick().queue("elsewhere", 1).handle(ECHO, (note, context) -> "never", nothing));

    awaitState(asked.id(), JobState.FAILED);
    assertThat(job(asked.id()).failures().get(0).message()).contains("NullPointerException");
  }

  @SuppressWarnings("NullAway")
  private static Duration noDelay() {
    return null;
  }

  @Test
  void aRecoveryPolicyThatHangsDelaysNoOtherJob() {
    CountDownLatch never = new CountDownLatch(1);
    Enqueued<String> asked =
        client()
            .enqueue(ECHO, new Note("x"), options -> options.onCrash(CrashPolicy.decidedByTask()));
    Enqueued<String> plain = client().enqueue(ECHO, new Note("plain"));
    dieWithClaimedJobs(2, 0);
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
    dieWithClaimedJobs(1, 0);

    awaitState(later.id(), JobState.READY);
    assertThat(job(asked.id()).state()).isEqualTo(JobState.RUNNING);
  }

  @Test
  void aJobThatCannotBeRecoveredDoesNotDelayOtherJobsOfItsHolder() {
    Enqueued<String> first = client().enqueue(ECHO, new Note("first"));
    Enqueued<String> bad = client().enqueue(ECHO, new Note("bad"));
    Enqueued<String> last = client().enqueue(ECHO, new Note("last"));
    dieWithClaimedJobs(3, 0);
    start(quick(failingOn(Outcome.REFUSED, action -> action.claim().id().equals(bad.id()))));

    awaitState(first.id(), JobState.READY);
    awaitState(last.id(), JobState.READY);
    assertThat(job(bad.id()).state()).isEqualTo(JobState.RUNNING);
  }

  @Test
  void aHolderWhoseJobsCannotBeRecoveredDoesNotDelayOtherHolders() {
    Enqueued<String> stuck = client().enqueue(ECHO, new Note("stuck"));
    dieWithClaimedJobs(1, 0);
    UUID dead = store().nodes().holderOf(stuck.id()).orElseThrow();
    assertThat(store().nodes().markDead(dead, 0, SILENCE)).isTrue();
    Enqueued<String> other = client().enqueue(ECHO, new Note("other"));
    dieWithClaimedJobs(1, 0);
    start(quick(failingOn(Outcome.RETRYABLE, action -> action.claim().id().equals(stuck.id()))));

    // The holder counts as silent only after several consecutive looks.
    awaitState(other.id(), JobState.READY);
    assertThat(job(stuck.id()).state()).isEqualTo(JobState.RUNNING);
  }

  private NodeBuilder quick(Store own) {
    return node(own).liveness(QUICK);
  }

  /** Returns a store that fails whenever it is to write such a recovery action. */
  private Store failingOn(Outcome outcome, Predicate<RecoveryAction> what) {
    return Interposed.on(
        store(),
        call -> {
          if (call.is(StoreMethod.RECOVER)
              && call.arguments().get(1) instanceof List<?> actions
              && actions.stream().map(RecoveryAction.class::cast).anyMatch(what)) {
            throw new StoreException(outcome, "It cannot be written.", null);
          }
          return call.proceed();
        });
  }

  @Test
  void claimedJobsAreRecoveredEvenIfRecoveryOfRunningJobsIsDisabled() {
    Enqueued<String> running = client().enqueue(ECHO, new Note("running"));
    Enqueued<String> claimed = client().enqueue(ECHO, new Note("claimed"));
    dieWithClaimedJobs(1, 1);
    start(quick().liveness(QUICK.with(settings -> settings.recover(true, false))));

    awaitState(claimed.id(), JobState.READY);
    assertThat(job(running.id()).state()).isEqualTo(JobState.RUNNING);
  }

  @Test
  void aNodeThatIsDeclaredDeadIsRecoveredBeforeItsTimeoutAndCanNoLongerWrite() throws Exception {
    Enqueued<String> running = client().enqueue(ECHO, new Note("running"));
    Enqueued<String> claimed = client().enqueue(ECHO, new Note("claimed"));
    NodeRegistration gone = registration("gone", Duration.ofHours(1), Advice.NONE);
    ClaimedJob held = claim(gone, 1, 1).get(0);
    start(node().handle(ECHO, (note, context) -> "by the living"));

    assertThat(client().nodes().recover("unknown")).isZero();
    assertThat(client().nodes().recover("gone")).isEqualTo(1);

    assertThat(client().await(running, SOON)).isEqualTo("by the living");
    assertThat(client().await(claimed, SOON)).isEqualTo("by the living");
    assertThat(job(running.id()).failures())
        .extracting(FailedAttempt::code)
        .containsExactly(FailureCode.WORKER_CRASHED);
    assertThat(store().nodes().beat(gone.incarnation(), 1)).as("its heartbeat").isEmpty();
    client().enqueue(ECHO, new Note("later"), options -> options.queue("other"));
    assertThat(claimAgain(gone, "other")).isEmpty();
    assertThat(
            store()
                .outcomes()
                .finish(
                    gone.incarnation(),
                    List.of(new Finish.Succeeded(held.claim(), "\"by the dead\"", null))))
        .containsExactly(Outcomes.Result.LOST);
    assertThat(client().nodes().recover("gone")).as("it is dead already").isZero();
  }

  private List<ClaimedJob> claim(NodeRegistration registration, int started, int claimed) {
    store().nodes().register(registration);
    return store().claims().claim(request(registration, "default", started, claimed));
  }

  private List<ClaimedJob> claimAgain(NodeRegistration registration, String queue) {
    return store().claims().claim(request(registration, queue, 1, 0));
  }

  private static ClaimRequest request(
      NodeRegistration registration, String queue, int started, int claimed) {
    return new ClaimRequest(
        registration.incarnation(),
        1,
        queue,
        List.of(ECHO.name()),
        started,
        claimed,
        null,
        ClaimRequest.Suspects.NONE,
        Set.of());
  }

  @Test
  void aNodeThatIsDeclaredDeadByMistakeStartsOver() throws Exception {
    CountDownLatch interrupted = new CountDownLatch(1);
    HoldfastNode mistaken =
        start(
            node()
                .id("mistaken")
                .handle(
                    ECHO,
                    (note, context) -> {
                      if (context.fencingToken() == 1) {
                        try {
                          new CountDownLatch(1).await();
                        } catch (InterruptedException stop) {
                          interrupted.countDown();
                        }
                      }
                      return "token " + context.fencingToken();
                    }));
    Enqueued<String> job = client().enqueue(ECHO, new Note("x"));
    awaitState(job.id(), JobState.RUNNING);
    UUID before = mistaken.incarnation();

    // The node is not declared dead if it sends a heartbeat at the same moment.
    await().atMost(SOON).until(() -> client().nodes().recover("mistaken") == 1);

    assertThat(interrupted.await(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(client().await(job, SOON)).isEqualTo("token 2");
    assertThat(mistaken.incarnation()).isNotEqualTo(before);
    assertThat(job(job.id()).failures())
        .extracting(FailedAttempt::code)
        .containsExactly(FailureCode.WORKER_CRASHED);
  }

  @Test
  void aSweepCanBeRequestedBeforeItIsDue() {
    CountDownLatch swept = new CountDownLatch(1);
    Store watched =
        Interposed.on(
            store(),
            call -> {
              Object result = call.proceed();
              if (call.name().equals("look")) {
                swept.countDown();
              }
              return result;
            });
    HoldfastNode node = start(node(watched));
    await().atMost(SOON).until(() -> swept.getCount() == 0);
    Enqueued<String> job = client().enqueue(ECHO, new Note("x"));
    NodeRegistration gone = registration("gone", SILENCE, Advice.NONE);
    claim(gone, 1, 0);
    assertThat(store().nodes().markDead(gone.incarnation(), 0, SILENCE)).isTrue();

    node.sweepNow();

    // The next sweep is due after 30 s.
    awaitState(job.id(), JobState.READY);
  }

  @Test
  void listenersAreToldOfDeadNodesAndRecovery() {
    List<LifecycleEvent> received = new CopyOnWriteArrayList<>();
    client().enqueue(ECHO, new Note("x"));
    dieWithClaimedJobs(1, 0);
    start(quick().listener(received::add));

    await()
        .atMost(SOON)
        .untilAsserted(() -> {
          assertThat(received).anyMatch(event -> event instanceof LifecycleEvent.NodeDied);
          assertThat(received).anyMatch(event -> event instanceof LifecycleEvent.Recovered);
        });
  }
}
