package dev.holdfast.engine.claim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.When;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.engine.codec.JobPolicy;
import dev.holdfast.engine.codec.JsonCodec;
import dev.holdfast.engine.event.Telemetry;
import dev.holdfast.engine.held.ClaimCalls;
import dev.holdfast.engine.held.CurrentIncarnation;
import dev.holdfast.engine.held.HeldJob;
import dev.holdfast.engine.held.HeldJobs;
import dev.holdfast.engine.held.Lane;
import dev.holdfast.engine.held.LogContext;
import dev.holdfast.engine.held.NodeClaims;
import dev.holdfast.engine.held.Slots;
import dev.holdfast.engine.held.TaskExecutor;
import dev.holdfast.engine.held.Tenure;
import dev.holdfast.engine.meter.Meters;
import dev.holdfast.engine.role.Environment;
import dev.holdfast.engine.rule.CurrentModes;
import dev.holdfast.engine.rule.QueueRules;
import dev.holdfast.engine.rule.TaskRules;
import dev.holdfast.engine.run.AttemptReporter;
import dev.holdfast.engine.run.ContextServices;
import dev.holdfast.engine.run.FinishDecision;
import dev.holdfast.engine.run.FinishSink;
import dev.holdfast.engine.run.HandlerCaller;
import dev.holdfast.engine.run.HungSettings;
import dev.holdfast.engine.run.Jobs;
import dev.holdfast.engine.run.NodeSecrets;
import dev.holdfast.engine.run.Runner;
import dev.holdfast.engine.run.Spans;
import dev.holdfast.engine.run.TaskRegistry;
import dev.holdfast.engine.run.TimeoutWatcher;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Claims;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.engine.store.QueueStore;
import dev.holdfast.engine.store.RunAdvance;
import dev.holdfast.engine.store.RunPhase;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.engine.store.StepRef;
import dev.holdfast.engine.store.Suspicion;
import dev.holdfast.engine.time.Moment;
import dev.holdfast.engine.time.Ticker;
import dev.holdfast.engine.workflow.HandOver;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class StepHandOverTest {
  private static final int SLOTS = 2;
  private static final PollBackoff PACE = PollBackoff.DEFAULT;
  private static final UUID ME = new UUID(1, 1);
  private static final RunId RUN = new RunId(new UUID(7, 7));
  private static final JobId NEXT = new JobId(new UUID(2, 2));
  private static final TaskType<String, String> TASK =
      TaskType.of("task", String.class, String.class);

  private final CountDownLatch done = new CountDownLatch(1);
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HeldJobs heldJobs = Jobs.none();
  private final ClaimCalls calls = new ClaimCalls();
  private final QueueRules queueRules = new QueueRules();
  private final Slots slots = new Slots(new Object(), List.of(new Slots.Pool(SLOTS)));
  private final Lane lane =
      new Lane("default", TaskExecutor.of("own", SLOTS, threads), List.of(TASK.name()), slots);
  private Moment now = new Moment(0);
  private Claimer claimer;
  private StepHandOver handOver;

  @AfterEach
  void stop() {
    done.countDown();
    threads.shutdownNow();
  }

  @BeforeEach
  void assemble() {
    Ticker ticker = () -> now;
    LogContext logs = new LogContext("node", null);
    Meters meters = new Meters(new SimpleMeterRegistry(), null, List.of());
    TaskRegistry tasks =
        new TaskRegistry(
            List.of(
                new TaskRegistry.Registered<>(
                    TASK,
                    (payload, context) -> {
                      done.await();
                      return payload;
                    },
                    Optional.empty())));
    FinishSink sink =
        new FinishSink() {
          @Override
          public void finish(HeldJob heldJob, Finish finish) {}

          @Override
          public void handBack(HeldJob heldJob) {}
        };
    Claims claims =
        (Claims)
            Proxy.newProxyInstance(
                Claims.class.getClassLoader(),
                new Class<?>[] {Claims.class},
                (proxy, method, arguments) -> List.of());
    Environment environment = Jobs.environment(ticker, new Random(1));
    Telemetry telemetry = Jobs.telemetry(meters, ticker);
    ContextServices services = Jobs.services(ticker, heldJobs);
    Runner runner =
        new Runner(
            logs,
            new Spans(logs, null),
            heldJobs,
            new HandlerCaller(tasks, new JsonCodec(), services, List.of()),
            new TimeoutWatcher(
                "node",
                heldJobs,
                sink,
                Jobs.lostSlots(0),
                HungSettings.DEFAULT,
                environment,
                () -> {}),
            new AttemptReporter(
                heldJobs,
                new FinishDecision(
                    "node", Jobs.outputs(), Jobs.unreadable(), environment, NodeSecrets.none()),
                services.notes(),
                sink,
                telemetry),
            ticker);
    NodeClaims held =
        new NodeClaims(
            new CurrentIncarnation(
                "node", new Tenure(ME, ticker, Duration.ofHours(1), () -> false, new Moment(0))),
            calls,
            heldJobs);
    ClaimRules rules =
        new ClaimRules(
            queueRules, new TaskRules(), new CurrentModes(Modes.FULL), Jobs.unreadable());
    ClaimSender sender = new ClaimSender(claims, Set.of(), held, rules, tasks, telemetry, ticker);
    claimer =
        new Claimer(
            lane,
            sender,
            rules,
            runner,
            new Starter(lane, OptionalInt.empty(), sender, rules, runner, sink, () -> {}),
            new IdlePoll(claims, Set.of(), () -> PACE, environment.random(), () -> {}),
            () -> {});
    handOver = new StepHandOver(sender, held, Set.of(), runner, ticker);
    handOver.add(claimer, job -> !job.equals(NEXT));
  }

  private static ClaimedJob job(JobId id, boolean inRun) {
    return new ClaimedJob(
        id,
        1,
        TASK.name(),
        "default",
        true,
        1,
        4,
        "\"hello\"",
        Set.of(),
        null,
        null,
        null,
        Instant.EPOCH,
        Instant.EPOCH,
        Instant.EPOCH,
        0,
        Suspicion.NONE,
        inRun ? new StepRef(RUN, 0, StepRef.NO_ITEM) : null);
  }

  /** Returns a job that has run in a slot since the time 0. */
  private HeldJob ran(JobId id, boolean inRun) {
    Tenure tenure = new Tenure(ME, () -> now, Duration.ofHours(1), () -> false, new Moment(0));
    HeldJob heldJob = new HeldJob(job(id, inRun), 1, JobPolicy.NONE, tenure);
    assertThat(slots.reserve(1)).isEqualTo(1);
    heldJob.occupies(lane);
    heldJob.hasSlotSince(new Moment(0));
    heldJobs.add(heldJob);
    return heldJob;
  }

  private HeldJob step() {
    return ran(new JobId(new UUID(3, 3)), true);
  }

  private void pass(Duration time) {
    now = now.plus(time);
  }

  private HandOver.Offer offer(HeldJob before) {
    NewJob next =
        new NewJob(
            NEXT,
            NewJob.IdUse.FRESH,
            When.NOW,
            null,
            new NewJob.Content(
                TASK.name(), "default", 4, "\"a\"", Set.of(), null, null, NewJob.Stamp.NONE));
    RunPlan plan =
        new RunPlan(
            RunState.RUNNING,
            RunPhase.MAIN,
            "SA",
            null,
            List.of(new RunPlan.Job(1, StepRef.NO_ITEM, next)),
            List.of(),
            Map.of(),
            List.of(),
            Set.of(),
            Set.of(),
            List.of(),
            Map.of(),
            List.of(),
            null,
            null,
            false);
    Finish.Succeeded success = new Finish.Succeeded(before.claim(), null, null);
    return handOver.offer(ME, List.of(new RunAdvance.Express(success, RUN, 1, plan)));
  }

  @Test
  void aStepOfAKnownRunKeepsItsSlotWhileNoOtherJobWaits() {
    HeldJob step = step();
    pass(Duration.ofHours(1));

    assertThat(lane.keepsSlotOf(step)).isTrue();
    assertThat(lane.keepsSlotOf(ran(NEXT, true))).isFalse();
  }

  @Test
  void aJobOfNoRunKeepsNoSlot() {
    assertThat(lane.keepsSlotOf(ran(new JobId(new UUID(3, 4)), false))).isFalse();
  }

  @Test
  void aRunKeepsASlotForAShortTimeWhileOtherJobsWait() {
    HeldJob step = step();
    lane.hungerFor(1);

    pass(StepHandOver.LONGEST.minusMillis(1));
    assertThat(lane.keepsSlotOf(step)).isTrue();
    pass(Duration.ofMillis(1));
    assertThat(lane.keepsSlotOf(step)).isFalse();
  }

  @Test
  void theTimeOfTheFirstStepCountsForAllThatFollow() {
    HeldJob step = step();
    step.keepSlot();
    pass(StepHandOver.LONGEST);

    offer(step).accept(List.of(job(NEXT, true)));

    HeldJob next = Objects.requireNonNull(heldJobs.find(NEXT));
    assertThat(next.slotSince()).isEqualTo(new Moment(0));
  }

  @Test
  void theNextStepRunsInTheSlotOfTheStepBefore() {
    HeldJob step = step();
    step.keepSlot();
    HandOver.Offer offer = offer(step);

    assertThat(offer.here().jobs()).containsExactly(NEXT);
    offer.accept(List.of(job(NEXT, true)));
    heldJobs.remove(step);

    assertThat(slots.free()).isEqualTo(SLOTS - 1);
    HeldJob next = Objects.requireNonNull(heldJobs.find(NEXT));
    assertThat(next.claimNo()).isEqualTo(offer.here().claimNo());
    assertThat(calls.look().wasOver(offer.here().claimNo())).isTrue();
  }

  @Test
  void aSlotThatIsNotTakenIsFree() {
    HeldJob step = step();
    step.keepSlot();

    offer(step).accept(List.of());
    heldJobs.remove(step);

    assertThat(slots.free()).isEqualTo(SLOTS);
  }

  @Test
  void aKeptSlotIsFreeWhenTheOutcomeIsRecorded() {
    HeldJob step = step();
    step.keepSlot();
    assertThat(slots.free()).isEqualTo(SLOTS - 1);

    heldJobs.remove(step);
    heldJobs.remove(step);

    assertThat(slots.free()).isEqualTo(SLOTS);
  }

  @Test
  void aLostReplyIsLeftToTheHeartbeats() {
    HeldJob step = step();
    step.keepSlot();
    HandOver.Offer offer = offer(step);

    offer.lose();
    heldJobs.remove(step);

    assertThat(slots.free()).isEqualTo(SLOTS);
    assertThat(heldJobs.find(NEXT)).isNull();
    assertThat(calls.look().oldest()).isEqualTo(offer.here().claimNo());
  }

  @Test
  void anotherSlotIsTakenOnlyIfNoJobWaitsForIt() {
    HeldJob step = step();

    lane.hungerFor(1);
    assertThat(offer(step)).isSameAs(HandOver.Offer.NONE);
    lane.hungerFor(0);
    assertThat(offer(step).here().jobs()).containsExactly(NEXT);
    assertThat(slots.free()).isZero();
    assertThat(offer(step)).isSameAs(HandOver.Offer.NONE);
  }

  @Test
  void nothingIsHandedOverWhereAClaimHasRulesToCheck() {
    HeldJob step = step();
    step.keepSlot();

    queueRules.update(Map.of("default", new QueueStore.Rule(true, null)));
    assertThat(offer(step)).isSameAs(HandOver.Offer.NONE);
    queueRules.update(Map.of("default", new QueueStore.Rule(false, 5)));
    assertThat(offer(step)).isSameAs(HandOver.Offer.NONE);
    queueRules.update(Map.of());
    assertThat(offer(step).here().jobs()).containsExactly(NEXT);
  }

  @Test
  void aLaneWhoseJobsEndQuicklyLendsTheSlotAndTheNextStepTakesAFreeOne() {
    lane.lends(true);
    HeldJob step = step();
    step.keepSlot();
    assertThat(slots.free()).as("the slot is lent").isEqualTo(SLOTS);

    offer(step).accept(List.of(job(NEXT, true)));
    heldJobs.remove(step);

    assertThat(slots.free()).isEqualTo(SLOTS - 1);
    assertThat(lane.queued().size()).isZero();
  }

  @Test
  void theNextStepWaitsForASlotIfAllAreTaken() {
    lane.lends(true);
    HeldJob step = step();
    step.keepSlot();
    assertThat(slots.reserve(SLOTS)).as("other jobs take all slots").isEqualTo(SLOTS);

    offer(step).accept(List.of(job(NEXT, true)));
    heldJobs.remove(step);

    assertThat(slots.free()).isZero();
    assertThat(lane.queued().size()).isEqualTo(1);
    lane.free();
    assertThat(lane.queued().size()).isZero();
    assertThat(slots.free()).isZero();
  }

  @Test
  void aSlotThatWasLentIsNotReleasedASecondTime() {
    lane.lends(true);
    HeldJob step = step();
    step.keepSlot();
    assertThat(slots.reserve(SLOTS)).isEqualTo(SLOTS);
    offer(step).lose();
    heldJobs.remove(step);

    assertThat(slots.free()).isZero();
  }

  @Test
  void noMoreThanTwiceAsManySlotsAreLentAsThereAre() {
    lane.lends(true);
    for (int i = 0; i < 2 * SLOTS; i++) {
      step().keepSlot();
    }
    HeldJob kept = step();
    kept.keepSlot();
    assertThat(slots.free()).isEqualTo(SLOTS - 1);

    heldJobs.remove(kept);
    assertThat(slots.free()).isEqualTo(SLOTS);
  }

  @Test
  void aNodeThatStopsHandsNothingOver() {
    HeldJob step = step();
    step.keepSlot();

    claimer.stop();

    assertThat(offer(step)).isSameAs(HandOver.Offer.NONE);
  }
}
