package dev.holdfast.testkit.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.github.f4b6a3.uuid.UuidCreator;
import dev.holdfast.api.StoreException;
import dev.holdfast.api.StoreException.Outcome;
import dev.holdfast.api.event.LifecycleEvent;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.FailedAttempt;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobRequest;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.RequeueAnswer;
import dev.holdfast.api.task.CrashPolicy;
import dev.holdfast.api.task.FailureCode;
import dev.holdfast.api.task.RecoveryPolicy;
import dev.holdfast.engine.HoldfastNode;
import dev.holdfast.engine.LivenessSettings;
import dev.holdfast.engine.NodeBuilder;
import dev.holdfast.engine.NodeIdentity;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.NodeBook.Advice;
import dev.holdfast.engine.store.Outcomes;
import dev.holdfast.engine.store.Recovery.Ruling;
import dev.holdfast.engine.store.Store;
import dev.holdfast.testkit.fault.FaultyStore;
import dev.holdfast.testkit.simulation.Interposed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Nodes that die, are cut off, or are told to start over, and those who take over from them. */
public abstract class LivenessContract extends NodeTestBase {
  /** A node with the settings that users get. */
  private NodeBuilder usual() {
    return HoldfastNode.on(store());
  }

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
      powerless.refuse("endSessions");
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

    List<Outcomes.Answer> answer =
        store()
            .outcomes()
            .finish(dead, List.of(new Finish.Succeeded(held.held(), "\"by the dead\"", null)));

    assertThat(answer).containsExactly(Outcomes.Answer.LOST);
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
        client().enqueue(ECHO, new Note("x"), options -> options.onCrash(CrashPolicy.ask()));
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
        client().enqueue(ECHO, new Note("x"), options -> options.onCrash(CrashPolicy.ask()));
    dieHolding(1, 0);
    start(quick());

    awaitState(job.id(), JobState.READY);
  }

  @Test
  void aJobThatNobodyHasAPolicyForIsRunAgainByThoseWhoKnowItsTask() throws Exception {
    Enqueued<String> job =
        client().enqueue(ECHO, new Note("x"), options -> options.onCrash(CrashPolicy.ask()));
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
              ECHO, new Note("asked about"), options -> options.onCrash(CrashPolicy.ask())));
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
        client().enqueue(ECHO, new Note("x"), options -> options.onCrash(CrashPolicy.ask()));
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
  void aPolicyThatBreaksConcernsItsOwnJobsOnly() {
    Enqueued<String> asked =
        client().enqueue(ECHO, new Note("x"), options -> options.onCrash(CrashPolicy.ask()));
    Enqueued<String> plain = client().enqueue(ECHO, new Note("plain"));
    dieHolding(2, 0);
    start(
        quick()
            .queue("elsewhere", 1)
            .handle(
                ECHO,
                (note, context) -> "never",
                crash -> {
                  throw new NoClassDefFoundError("it is not there");
                }));

    awaitState(plain.id(), JobState.READY);
    assertThat(job(asked.id()).state()).isEqualTo(JobState.RUNNING);
  }

  @Test
  void oneJobThatCannotBeTakenBackDoesNotHoldUpTheOthersOfItsHolder() {
    Enqueued<String> first = client().enqueue(ECHO, new Note("first"));
    Enqueued<String> bad = client().enqueue(ECHO, new Note("bad"));
    Enqueued<String> last = client().enqueue(ECHO, new Note("last"));
    dieHolding(3, 0);
    start(quick(refusing(Outcome.REFUSED, ruling -> ruling.held().id().equals(bad.id()))));

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
    start(quick(refusing(Outcome.RETRYABLE, ruling -> ruling.held().id().equals(stuck.id()))));

    // Its holder is found silent only by looks that follow each other.
    awaitState(other.id(), JobState.READY);
    assertThat(job(stuck.id()).state()).isEqualTo(JobState.RUNNING);
  }

  private NodeBuilder quick(Store own) {
    return node(own).liveness(QUICK);
  }

  /** A store that fails whenever it is to write such a ruling. */
  private Store refusing(Outcome outcome, Predicate<Ruling> what) {
    return Interposed.on(
        store(),
        call -> {
          if (call.name().equals("recover")
              && call.arguments().get(1) instanceof List<?> rulings
              && rulings.stream().map(Ruling.class::cast).anyMatch(what)) {
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
  void suspectsRunOneAtATimeOnANode() throws Exception {
    List<Enqueued<String>> jobs = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      jobs.add(client().enqueue(ECHO, new Note("suspect " + i)));
    }
    dieHolding(5, 0);
    AtomicInteger running = new AtomicInteger();
    List<Integer> together = Collections.synchronizedList(new ArrayList<>());
    start(
        quick()
            .handle(
                ECHO,
                (note, context) -> {
                  together.add(running.incrementAndGet());
                  Thread.sleep(20);
                  running.decrementAndGet();
                  return "done";
                }));

    for (Enqueued<String> job : jobs) {
      assertThat(client().await(job, SOON)).isEqualTo("done");
    }
    assertThat(together).containsOnly(1);
  }

  @Test
  void aNodeThatIsCutOffFencesItselfBeforeOthersTakeOver() throws Exception {
    FaultyStore cut = new FaultyStore(store());
    CountDownLatch interrupted = new CountDownLatch(1);
    HoldfastNode holder =
        start(
            node(cut)
                .liveness(QUICK)
                .handle(
                    ECHO,
                    (note, context) -> {
                      if (context.fencingToken() > 1) {
                        return "after the cut, under token " + context.fencingToken();
                      }
                      try {
                        new CountDownLatch(1).await();
                      } catch (InterruptedException stop) {
                        assertThat(context.isStopping()).isTrue();
                        interrupted.countDown();
                      }
                      return "void";
                    }));
    UUID before = holder.incarnation();
    Enqueued<String> job = client().enqueue(ECHO, new Note("x"));
    awaitState(job.id(), JobState.RUNNING);

    cut.cut();
    interrupted.await();
    // Nobody has taken over yet: the node gave up before anybody may.
    assertThat(job(job.id()).state()).isEqualTo(JobState.RUNNING);
    assertThat(holder.isReady()).isFalse();
    start(quick());
    awaitState(job.id(), JobState.READY);
    cut.heal();

    assertThat(client().await(job, SOON)).startsWith("after the cut");
    assertThat(holder.incarnation()).isNotEqualTo(before);
    assertThat(holder.isReady()).isTrue();
    assertThat(store().nodes().beat(before, 0)).isEmpty();
    assertThat(meters.get("holdfast.node.fenced").counter().count()).isEqualTo(1);
    await()
        .atMost(SOON)
        .until(() ->
            meters.get("holdfast.stale.writes.rejected").tag("queue", "default").counter().count()
                == 1);
  }

  @Test
  void aNodeThatIsBackInTimeKeepsItsClaim() throws Exception {
    FaultyStore cut = new FaultyStore(store());
    CountDownLatch goOn = new CountDownLatch(1);
    HoldfastNode holder =
        start(
            node(cut)
                .handle(
                    ECHO,
                    (note, context) -> {
                      goOn.await();
                      return "token " + context.fencingToken();
                    }));
    Enqueued<String> job = client().enqueue(ECHO, new Note("x"));
    awaitState(job.id(), JobState.RUNNING);
    UUID before = holder.incarnation();

    cut.cut();
    goOn.countDown();
    await().atMost(SOON).until(() -> holder.held() == 1);
    cut.heal();

    assertThat(client().await(job, SOON)).isEqualTo("token 1");
    assertThat(holder.incarnation()).isEqualTo(before);
  }

  @Test
  void aFencedNodeThatDidNoHarmSpendsNothing() throws Exception {
    FaultyStore cut = new FaultyStore(store());
    CountDownLatch begun = new CountDownLatch(1);
    start(
        node(cut)
            .liveness(
                LivenessSettings.DEFAULT.with(settings ->
                    settings
                        .heartbeat(Duration.ofMillis(100))
                        .terms(SILENCE)
                        .sweep(Duration.ofMillis(100))))
            .handle(
                ECHO,
                (note, context) -> {
                  if (context.fencingToken() == 1) {
                    begun.countDown();
                    new CountDownLatch(1).await();
                  }
                  return "attempt " + context.attempt();
                }));
    Enqueued<String> job = client().enqueue(ECHO, new Note("x"));
    begun.await();
    cut.cut();
    await().atMost(SOON).until(() -> meters.get("holdfast.node.fenced").counter().count() == 1);
    cut.heal();

    assertThat(client().await(job, SOON)).isEqualTo("attempt 1");
    assertThat(job(job.id()).failures()).isEmpty();
  }

  @Test
  void aDismissedNodeGivesUpEverythingAndStartsOver() throws Exception {
    HoldfastNode node =
        start(
            quick()
                .id("worker-1")
                .handle(
                    ECHO,
                    (note, context) -> {
                      if (context.fencingToken() == 1) {
                        new CountDownLatch(1).await();
                      }
                      return "token " + context.fencingToken();
                    }));
    Enqueued<String> job = client().enqueue(ECHO, new Note("x"));
    awaitState(job.id(), JobState.RUNNING);
    UUID before = node.incarnation();

    assertThat(client().nodes().dismiss("nobody")).isZero();
    assertThat(client().nodes().dismiss("worker-1")).isEqualTo(1);

    assertThat(client().await(job, SOON)).isEqualTo("token 2");
    assertThat(node.incarnation()).isNotEqualTo(before);
    assertThat(job(job.id()).failures()).isEmpty();
  }

  @Test
  void codeThatWasInterruptedHasItsTimeToEndBeforeOthersRunItsJob() throws Exception {
    CountDownLatch interrupted = new CountDownLatch(1);
    CountDownLatch ending = new CountDownLatch(1);
    start(
        usual()
            .id("worker-1")
            .handle(
                ECHO,
                (note, context) -> {
                  if (context.fencingToken() == 1) {
                    try {
                      new CountDownLatch(1).await();
                    } catch (InterruptedException told) {
                      interrupted.countDown();
                      ending.await();
                    }
                  }
                  return "token " + context.fencingToken();
                }));
    Enqueued<String> job = client().enqueue(ECHO, new Note("x"));
    awaitState(job.id(), JobState.RUNNING);

    client().nodes().dismiss("worker-1");
    interrupted.await();
    await()
        .during(Duration.ofMillis(300))
        .until(
            () -> job(job.id()).state() == JobState.RUNNING && job(job.id()).fencingToken() == 1);
    ending.countDown();

    assertThat(client().await(job, SOON)).isEqualTo("token 2");
  }

  @Test
  void aHeldJobIsGivenBackWhenSomebodyAsksForIt() throws Exception {
    start(
        quick()
            .handle(
                ECHO,
                (note, context) -> {
                  if (context.fencingToken() == 1) {
                    new CountDownLatch(1).await();
                  }
                  return "attempt %d, token %d"
                      .formatted(context.attempt(), context.fencingToken());
                }));
    Enqueued<String> job = client().enqueue(ECHO, new Note("x"));
    awaitState(job.id(), JobState.RUNNING);

    assertThat(client().requeue(job.id())).isEqualTo(RequeueAnswer.REQUESTED);

    assertThat(client().await(job, SOON)).isEqualTo("attempt 1, token 2");
  }

  @Test
  void whatWaitsForItsTimeCanBeRunAtOnce() throws Exception {
    Enqueued<String> job =
        client().enqueue(ECHO, new Note("x"), options -> options.runIn(Duration.ofHours(1)));
    start(quick().handle(ECHO, (note, context) -> "now"));

    assertThat(client().requeue(job.id())).isEqualTo(RequeueAnswer.READY);

    assertThat(client().await(job, SOON)).isEqualTo("now");
    assertThat(client().requeue(job.id())).isEqualTo(RequeueAnswer.ENDED);
    assertThat(client().requeue(new JobId(UuidCreator.getTimeOrderedEpoch())))
        .isEqualTo(RequeueAnswer.NOT_FOUND);
  }

  @Test
  void aReadinessProbeTurnsFalseTheMomentDrainBegins() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    HoldfastNode node =
        start(
            quick()
                .shutdownGrace(SOON)
                .handle(
                    ECHO,
                    (note, context) -> {
                      begun.countDown();
                      goOn.await();
                      return "finished while draining";
                    }));
    Enqueued<String> job = client().enqueue(ECHO, new Note("x"));
    begun.await();
    assertThat(node.isReady()).isTrue();

    Thread closing = Thread.startVirtualThread(node::close);
    await().atMost(SOON).until(() -> !node.isReady());
    assertThat(job(job.id()).state()).isEqualTo(JobState.RUNNING);
    goOn.countDown();
    closing.join();

    assertThat(client().await(job, SOON)).isEqualTo("finished while draining");
    assertThat(store().nodes().beat(node.incarnation(), 0)).isEmpty();
  }

  @Test
  void aSecondRequestToStopEndsTheWaiting() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    HoldfastNode node =
        start(
            quick()
                .shutdownGrace(Duration.ofHours(1))
                .handle(
                    ECHO,
                    (note, context) -> {
                      begun.countDown();
                      new CountDownLatch(1).await();
                      return "never";
                    }));
    Enqueued<String> job = client().enqueue(ECHO, new Note("x"));
    begun.await();

    Thread closing = Thread.startVirtualThread(node::close);
    await().atMost(SOON).until(() -> !node.isReady());
    node.close();
    closing.join();

    assertThat(store().nodes().beat(node.incarnation(), 0)).isEmpty();
    assertThat(job(job.id()).attempt()).isLessThanOrEqualTo(1);
  }

  @Test
  void whatIgnoresItsInterruptStaysHeldWhenTheNodeHasStopped() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    HoldfastNode node =
        start(
            node()
                .handle(
                    ECHO,
                    (note, context) -> {
                      begun.countDown();
                      boolean waiting = true;
                      while (waiting) {
                        try {
                          released.await();
                          waiting = false;
                        } catch (InterruptedException ignored) {
                          // It does not heed it.
                        }
                      }
                      return "at last";
                    }));
    Enqueued<String> job = client().enqueue(ECHO, new Note("x"));
    begun.await();

    node.close();

    assertThat(job(job.id()).state()).isEqualTo(JobState.RUNNING);
    assertThat(store().nodes().list())
        .as("others wait for its terms before they begin it")
        .allSatisfy(status -> assertThat(status.alive()).isTrue());
    released.countDown();
  }

  @Test
  void heartbeatsAreKeptOnRequest() {
    HoldfastNode node =
        start(quick().id("kept").liveness(QUICK.with(settings -> settings.keepHeartbeats(true))));

    await().atMost(SOON).until(() -> store().nodes().pastBeats("kept", 10).size() >= 2);
    assertThat(client().nodes().beats("kept", 1))
        .singleElement()
        .satisfies(beat -> {
          assertThat(beat.node()).isEqualTo("kept");
          assertThat(beat.incarnation()).isEqualTo(node.incarnation());
          assertThat(beat.pid()).isEqualTo(ProcessHandle.current().pid());
        });
    assertThatThrownBy(() -> client().nodes().beats("kept", 0)).hasMessageContaining("1 to 10000");
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

  @Test
  void settingsThatCannotWorkAreRefusedWithTheRemedy() {
    assertThatThrownBy(() -> usual().liveness(s -> s.terms(Duration.ofSeconds(29))))
        .hasMessageContaining("PT29S")
        .hasMessageContaining("at least PT30S");
    assertThatThrownBy(() -> usual().liveness(s -> s.sweep(Duration.ofSeconds(60))))
        .hasMessageContaining("PT1M")
        .hasMessageContaining("less than the terms");
    assertThatThrownBy(() -> usual().liveness(s -> s.heartbeat(Duration.ZERO)))
        .hasMessageContaining("PT0S");
    assertThatThrownBy(() -> usual().liveness(s -> s.claimedTerms(Duration.ofSeconds(90))))
        .hasMessageContaining("PT1M30S");
    assertThatThrownBy(() -> usual().liveness(s -> s.claimedTerms(Duration.ofSeconds(30))))
        .hasMessageContaining("PT30S for claimed jobs")
        .hasMessageContaining("such as PT15S");
    assertThatThrownBy(
            () -> usual().liveness(s -> s.recover(false, true).sweep(Duration.ofSeconds(60))))
        .hasMessageContaining("PT1M for running jobs");
    assertThatThrownBy(() -> usual().keep(Duration.ofDays(14), Duration.ZERO))
        .hasMessageContaining("Dead letters cannot be kept for PT0S")
        .hasMessageContaining("at least PT1H");
    assertThatThrownBy(() -> usual().keep(Duration.ofDays(-1), Duration.ofDays(90)))
        .hasMessageContaining("Ended jobs cannot be kept for PT-24H");
    assertThatThrownBy(() -> usual().resultLimit(0).start())
        .hasMessageContaining("result limit of 0")
        .hasMessageContaining("keepResult");
    assertThatThrownBy(() -> usual().shutdownGrace(Duration.ofSeconds(-1)).start())
        .hasMessageContaining("PT-1S");
    assertThatThrownBy(() -> node().id("x".repeat(65)).start())
        .hasMessageContaining("65")
        .hasMessageContaining("1 to 64");
    assertThatThrownBy(() -> node().identity(NodeIdentity.environment("HOLDFAST_NO_SUCH")).start())
        .hasMessageContaining("HOLDFAST_NO_SUCH");
    assertThat(store().nodes().list()).isEmpty();
  }

  @Test
  void aNodeIsCalledWhatItsIdentitySays() {
    HoldfastNode node = start(quick().identity(() -> "pod-7").name("Seventh"));

    assertThat(node.id()).isEqualTo("pod-7");
    assertThat(store().nodes().list())
        .singleElement()
        .satisfies(status -> {
          assertThat(status.card().id()).isEqualTo("pod-7");
          assertThat(status.card().name()).isEqualTo("Seventh");
        });
    assertThat(NodeIdentity.environment("PATH").id()).isEqualTo(System.getenv("PATH").strip());
    assertThat(NodeIdentity.hostAndPid().id())
        .endsWith("-" + ProcessHandle.current().pid())
        .hasSizeLessThanOrEqualTo(64);
  }
}
