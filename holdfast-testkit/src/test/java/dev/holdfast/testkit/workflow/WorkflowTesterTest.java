package dev.holdfast.testkit.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.run.RetryLater;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.type.TypeRef;
import dev.holdfast.api.workflow.MaxActive;
import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.Step;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.api.workflow.Workflow;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class WorkflowTesterTest {
  record Order(String id, long cents) {}

  record Receipt(String number) {}

  record Parcel(String tracking) {}

  record Approval(boolean approved, String by) {}

  static final TaskType<Order, Receipt> CHARGE =
      TaskType.of("orders::charge", Order.class, Receipt.class)
          .with(job ->
              job.queue("money")
                  .retry(RetryPolicy.exponential(Duration.ofMinutes(1)).maxAttempts(3)));
  static final TaskType<Order, Parcel> PACK =
      TaskType.of("orders::pack", Order.class, Parcel.class)
          .with(job -> job.retry(RetryPolicy.fixed(Duration.ofSeconds(1)).maxAttempts(4)));
  static final TaskType<Parcel, Void> SHIP = TaskType.of("orders::ship", Parcel.class);
  static final TaskType<Approval, Void> DECIDED = TaskType.of("orders::decided", Approval.class);
  static final TaskType<Object, Void> REFUND = TaskType.of("orders::refund", Object.class);

  static final Order ORDER = new Order("7", 4_200);

  static final Workflow<Order, Parcel> FULFIL =
      Workflow.defineWithResult(
          "orders::fulfil",
          Order.class,
          flow -> {
            Step<Receipt> charge = flow.step("charge", CHARGE, flow.input()).compensate(REFUND);
            Step<Parcel> pack = flow.step("pack", PACK, flow.input()).after(charge);
            flow.step("ship", SHIP, pack);
            return pack;
          });

  static final Workflow<Order, Void> APPROVE =
      Workflow.define(
          "orders::approve",
          Order.class,
          flow -> {
            Step<Void> pause = flow.sleep("cool-off", Duration.ofHours(1));
            Step<Approval> approval =
                flow.awaitSignal("approval", "approved", Approval.class).after(pause);
            flow.step("decided", DECIDED, approval);
          });

  private final List<String> log = new ArrayList<>();

  private WorkflowTester shop() {
    return WorkflowTester.create()
        .handle(CHARGE, (order, context) -> new Receipt("R-" + order.id()))
        .handle(PACK, (order, context) -> new Parcel("T-" + order.id()))
        .handle(SHIP, (parcel, context) -> log.add("shipped " + parcel.tracking()))
        .handle(REFUND, (what, context) -> log.add("refunded"))
        .handle(DECIDED, (approval, context) -> log.add("decided by " + approval.by()));
  }

  @Test
  void aRunIsOverWhenTheCallReturns() {
    TestedRun<Parcel> run = shop().run(FULFIL, ORDER);

    assertThat(run.result()).isEqualTo(new Parcel("T-7"));
    assertThat(run.state()).isEqualTo(RunState.SUCCEEDED);
    assertThat(run.executed()).containsExactly("charge", "pack", "ship");
    assertThat(run.output("charge", Receipt.class)).isEqualTo(new Receipt("R-7"));
    assertThat(run.input("ship", Parcel.class)).isEqualTo(new Parcel("T-7"));
    assertThat(run.state("ship")).isEqualTo(StepState.SUCCEEDED);
    assertThat(run.events())
        .extracting(RunEvent::kind)
        .startsWith(RunEvent.Kind.CREATED)
        .endsWith(RunEvent.Kind.ENDED);
    assertThat(run.elapsed()).isZero();
    assertThat(log).containsExactly("shipped T-7");
  }

  @Test
  void retriesWaitInVirtualTime() {
    TestedRun<Parcel> run =
        shop().failTimes(CHARGE, 2, new IllegalStateException("bank is closed")).run(FULFIL, ORDER);

    assertThat(run.result()).isEqualTo(new Parcel("T-7"));
    assertThat(run.executed()).containsExactly("charge", "charge", "charge", "pack", "ship");
    assertThat(run.attempts("charge"))
        .extracting(StepAttempt::outcome)
        .containsExactly(
            StepAttempt.Outcome.THREW, StepAttempt.Outcome.THREW, StepAttempt.Outcome.RETURNED);
    assertThat(run.attempts("charge")).extracting(StepAttempt::number).containsExactly(1, 2, 3);
    assertThat(run.elapsed()).as("backoff of 1 and 2 minutes").isEqualTo(Duration.ofMinutes(3));
  }

  @Test
  void aStepThatFailsFailsItsRunAndIsExplained() {
    TestedRun<Parcel> run =
        shop().fails(PACK, new IllegalStateException("out of boxes")).run(FULFIL, ORDER);

    assertThat(run.state()).isEqualTo(RunState.FAILED);
    assertThat(run.state("pack")).isEqualTo(StepState.FAILED);
    assertThat(run.state("ship")).isEqualTo(StepState.SKIPPED);
    assertThat(log).containsExactly("refunded");
    assertThat(run.waitingFor()).isEmpty();
    assertThatThrownBy(run::result)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("FAILED")
        .hasMessageContaining("out of boxes")
        .hasRootCauseMessage("out of boxes");
    assertThatThrownBy(run::orThrow).isInstanceOf(AssertionError.class);
  }

  @Test
  void aFixedResultNeedsNoHandler() {
    TestedRun<Parcel> run =
        shop().returns(PACK, new Parcel("T-fixed")).succeeds(SHIP).run(FULFIL, ORDER).orThrow();

    assertThat(run.result()).isEqualTo(new Parcel("T-fixed"));
    assertThat(log).isEmpty();
  }

  @Test
  void aSleepOfYearsTakesNoTime() {
    Workflow<Order, Void> patient =
        Workflow.define(
            "test::patient",
            Order.class,
            flow -> {
              Step<Void> sleep = flow.sleep("sleep", Duration.ofDays(3 * 365));
              flow.step("charge", CHARGE, flow.input()).after(sleep);
            });

    TestedRun<Void> run = shop().run(patient, ORDER).orThrow();

    assertThat(run.elapsed()).isEqualTo(Duration.ofDays(3 * 365));
    assertThat(run.executed()).containsExactly("charge");
  }

  @Test
  void whatWasExecutedLongAgoCanStillBeRead() {
    Workflow<Order, Void> patient =
        Workflow.define(
            "test::long-ago",
            Order.class,
            flow -> {
              Step<Receipt> charge = flow.step("charge", CHARGE, flow.input());
              flow.sleep("sleep", Duration.ofDays(3 * 365)).after(charge);
              flow.workflow("inner", FULFIL, flow.input());
            });

    TestedRun<Void> run = shop().run(patient, ORDER).orThrow();

    assertThat(run.input("charge", Order.class)).isEqualTo(ORDER);
    assertThat(run.input("inner/pack", Order.class)).isEqualTo(ORDER);
    assertThat(run.output("inner/charge", Receipt.class)).isEqualTo(new Receipt("R-7"));
    assertThat(run.executed())
        .containsExactlyInAnyOrder("charge", "inner/charge", "inner/pack", "inner/ship");
  }

  @Test
  void aRunThatWaitsForASignalIsReportedInsteadOfHanging() {
    TestedRun<Void> run = shop().start(APPROVE, ORDER);

    assertThatThrownBy(run::runToEnd)
        .isInstanceOf(StuckRunError.class)
        .hasMessageContaining("orders::approve does not end")
        .hasMessageContaining("nothing is due any more, 1 h after its start")
        .hasMessageContaining(
            "step 'approval' waits for signal 'approved' since 2026-01-01T01:00:00Z")
        .hasMessageContaining("step 'decided' waits for approval");
    assertThat(run.state("approval")).isEqualTo(StepState.WAITING);

    run.signal("approved", new Approval(true, "ada")).runToEnd().orThrow();

    assertThat(log).containsExactly("decided by ada");
  }

  @Test
  void aSignalArrivesAtItsTime() {
    TestedRun<Void> run =
        shop()
            .start(APPROVE, ORDER)
            .signalAt(Duration.ofDays(2), "approved", new Approval(true, "eve"))
            .runToEnd();

    assertThat(run.elapsed()).isEqualTo(Duration.ofDays(2));
    assertThat(log).containsExactly("decided by eve");
  }

  @Test
  void aTimeoutThatComesFirstWins() {
    Workflow<Order, Void> hasty =
        Workflow.define(
            "test::hasty",
            Order.class,
            flow ->
                flow.step(
                    "decided",
                    DECIDED,
                    flow.awaitSignal("approval", "approved", Approval.class)
                        .orElse(new Approval(false, "nobody"))
                        .within(Duration.ofDays(1))));

    TestedRun<Void> run =
        shop()
            .start(hasty, ORDER)
            .signalAt(Duration.ofDays(2), "approved", new Approval(true, "eve"))
            .runToEnd();

    assertThat(run.elapsed()).isEqualTo(Duration.ofDays(1));
    assertThat(log).containsExactly("decided by nobody");
  }

  @Test
  void aTestCanStopAtAStepAndLetTimePass() {
    TestedRun<Void> run = shop().start(APPROVE, ORDER);

    assertThat(run.runDue().state("cool-off")).isEqualTo(StepState.WAITING);
    assertThat(run.advance(Duration.ofMinutes(59)).state("approval")).isEqualTo(StepState.PENDING);
    assertThat(run.advance(Duration.ofMinutes(1)).state("approval")).isEqualTo(StepState.WAITING);
    assertThat(run.elapsed()).isEqualTo(Duration.ofHours(1));

    TestedRun<Void> other = shop().start(APPROVE, ORDER).runUntil("approval", StepState.WAITING);
    assertThat(other.elapsed()).isEqualTo(Duration.ofHours(1));
    assertThatThrownBy(() -> other.runUntil("decided", StepState.FAILED))
        .isInstanceOf(StuckRunError.class)
        .hasMessageContaining("no step 'decided' that becomes FAILED")
        .hasMessageContaining("waits for signal 'approved'");
  }

  @Test
  void aTaskWithoutAHandlerIsReported() {
    WorkflowTester tester = WorkflowTester.create().returns(CHARGE, new Receipt("R"));
    TestedRun<Parcel> run = tester.start(FULFIL, ORDER);

    assertThatThrownBy(run::runToEnd)
        .isInstanceOf(StuckRunError.class)
        .hasMessageContaining("step 'pack' waits for a handler of task 'orders::pack'")
        .hasMessageContaining("step 'ship' waits for pack")
        .hasMessageContaining("Executed charge.");

    tester.returns(PACK, new Parcel("T")).succeeds(SHIP);
    assertThat(run.runToEnd().result()).isEqualTo(new Parcel("T"));
  }

  @Test
  void theElementsOfAMapThatHaveNoHandlerAreReported() {
    Workflow<List<Order>, Void> all =
        Workflow.define(
            "test::all",
            new TypeRef<List<Order>>() {},
            flow -> flow.map("charges", CHARGE, flow.input()));
    WorkflowTester tester = WorkflowTester.create();
    TestedRun<Void> run = tester.start(all, List.of(ORDER, ORDER, ORDER, ORDER, ORDER));

    assertThatThrownBy(run::runToEnd)
        .isInstanceOf(StuckRunError.class)
        .hasMessageContaining("step 'charges' waits for a handler of task 'orders::charge'")
        .hasMessageContaining("step 'charges' has 2 more jobs");

    tester.returns(CHARGE, new Receipt("R"));
    assertThat(run.runToEnd().executed())
        .containsExactly("charges[0]", "charges[1]", "charges[2]", "charges[3]", "charges[4]");
  }

  @Test
  void aPausedRunIsReported() {
    TestedRun<Parcel> run = shop().start(FULFIL, ORDER).pause();

    assertThatThrownBy(run::runToEnd)
        .isInstanceOf(StuckRunError.class)
        .hasMessageContaining("the run is PAUSED because of PAUSED: by request");

    assertThat(run.resume().runToEnd().result()).isEqualTo(new Parcel("T-7"));
  }

  @Test
  void aQueuedRunIsReported() {
    Workflow<Order, Void> gated =
        Workflow.define(
            "test::gated",
            Order.class,
            flow -> {
              flow.awaitSignal("approval", "approved", Approval.class);
              flow.maxActive(MaxActive.of(1));
            });
    WorkflowTester tester = shop();
    TestedRun<Void> first = tester.start(gated, ORDER);
    TestedRun<Void> second = tester.start(gated, ORDER);

    assertThatThrownBy(second::runToEnd)
        .isInstanceOf(StuckRunError.class)
        .hasMessageContaining("QUEUED behind the gate of workflow test::gated")
        .hasMessageContaining("run %s is RUNNING".formatted(first.id()));

    first.signal("approved", new Approval(true, "ada"));
    second.signalAt(Duration.ofHours(1), "approved", new Approval(true, "ada")).runToEnd();
    assertThat(first.state()).isEqualTo(RunState.SUCCEEDED);
  }

  @Test
  void aChildThatWaitsIsReportedWithItsPath() {
    Workflow<Order, Void> parent =
        Workflow.define(
            "test::parent", Order.class, flow -> flow.workflow("inner", APPROVE, flow.input()));
    TestedRun<Void> run = shop().start(parent, ORDER);

    assertThatThrownBy(run::runToEnd)
        .isInstanceOf(StuckRunError.class)
        .hasMessageContaining(
            "step 'inner/approval' waits for signal 'approved' since 2026-01-01T01:00:00Z");

    run.child("inner").signal("approved", new Approval(true, "ada"));
    assertThat(run.runToEnd().state()).isEqualTo(RunState.SUCCEEDED);
    assertThat(run.executed()).containsExactly("inner/decided");
  }

  @Test
  void aHandlerThatBlocksItsThreadIsInterruptedAndReported() {
    CountDownLatch never = new CountDownLatch(1);
    WorkflowTester tester =
        shop()
            .maxRealTime(Duration.ofMillis(200))
            .handle(PACK, (order, context) -> awaitPacked(never, order));
    TestedRun<Parcel> run = tester.start(FULFIL, ORDER);

    assertThatThrownBy(run::runToEnd)
        .isInstanceOf(StuckRunError.class)
        .hasMessageContaining(
            "gave up after 200 ms of real time in step 'pack' of run %s (task orders::pack)"
                .formatted(run.id()))
        .hasMessageContaining("step 'ship' waits for pack")
        .cause()
        .hasMessageContaining("blocked here")
        .hasStackTraceContaining("WorkflowTesterTest.awaitPacked");
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
    assertThatThrownBy(() -> tester.advance(Duration.ofSeconds(1)))
        .isInstanceOf(StuckRunError.class)
        .hasMessageContaining("1 s did not pass")
        .hasMessageContaining("step 'pack'");

    never.countDown();
    assertThat(run.runToEnd().result()).isEqualTo(new Parcel("T-7"));
    assertThatThrownBy(() -> tester.maxRealTime(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static Parcel awaitPacked(CountDownLatch packed, Order order) {
    try {
      packed.await();
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(stopped);
    }
    return new Parcel("T-" + order.id());
  }

  @Test
  void endlessRetriesAreReported() {
    TaskType<Order, Void> stubborn =
        TaskType.of("test::stubborn", Order.class)
            .with(job -> job.retry(RetryPolicy.fixed(Duration.ofHours(1)).maxAttempts(1_000)));
    Workflow<Order, Void> flow =
        Workflow.define("test::endless", Order.class, f -> f.step("again", stubborn, f.input()));

    assertThatThrownBy(() ->
            shop()
                .maxAttempts(100)
                .fails(stubborn, new IllegalStateException("never works"))
                .run(flow, ORDER))
        .isInstanceOf(StuckRunError.class)
        .hasMessageContaining("gave up after 100 attempts")
        .hasMessageContaining("step 'again'")
        .hasMessageContaining("never works")
        .hasRootCauseMessage("never works");
    assertThatThrownBy(() ->
            shop()
                .maxTime(Duration.ofDays(2))
                .fails(stubborn, new IllegalStateException("never works"))
                .run(flow, ORDER))
        .isInstanceOf(StuckRunError.class)
        .hasMessageContaining("gave up after 2 days of virtual time");
  }

  @Test
  void aTaskThatPostponesItselfWithoutDelayIsReported() {
    assertThatThrownBy(() ->
            shop()
                .maxAttempts(50)
                .handle(
                    CHARGE,
                    (order, context) -> {
                      throw new RetryLater(Duration.ZERO, "not yet");
                    })
                .run(FULFIL, ORDER))
        .isInstanceOf(StuckRunError.class)
        .hasMessageContaining("gave up after 50 attempts")
        .hasMessageContaining("step 'charge'");
  }

  @Test
  void aNodeThatDiesAfterTheCodeRunsItAgain() {
    WorkflowTester tester =
        shop()
            .handle(
                CHARGE,
                (order, context) -> {
                  log.add("charged by " + context.node());
                  return new Receipt("R-" + context.fencingToken());
                })
            .crashAfter("charge");

    TestedRun<Parcel> run = tester.run(FULFIL, ORDER).orThrow();

    assertThat(log)
        .containsExactly("charged by test-node-1", "charged by test-node-2", "shipped T-7");
    assertThat(run.executed()).containsExactly("charge", "charge", "pack", "ship");
    assertThat(run.attempts("charge"))
        .extracting(StepAttempt::outcome)
        .containsExactly(StepAttempt.Outcome.CRASHED, StepAttempt.Outcome.RETURNED);
    assertThat(run.output("charge", Receipt.class)).isEqualTo(new Receipt("R-2"));
  }

  @Test
  void aNodeThatDiesBeforeTheCodeRunsItOnce() {
    TestedRun<Parcel> run = shop().crashBefore("ship").run(FULFIL, ORDER).orThrow();

    assertThat(log).containsExactly("shipped T-7");
    assertThat(run.executed()).containsExactly("charge", "pack", "ship", "ship");
  }

  @Test
  void aStepSurvivesAsManyCrashesAsItsPolicyAllows() {
    TestedRun<Parcel> run =
        shop()
            .crashAfter("ship")
            .crashAfter("ship")
            .crashBefore("ship")
            .run(FULFIL, ORDER)
            .orThrow();

    assertThat(run.attempts("ship")).hasSize(4);
    assertThat(log).containsExactly("shipped T-7", "shipped T-7", "shipped T-7");
  }

  @Test
  void aStepThatKeepsKillingItsNodeFails() {
    WorkflowTester tester = shop();
    for (int i = 0; i < 10; i++) {
      tester.crashAfter("pack");
    }

    TestedRun<Parcel> run = tester.run(FULFIL, ORDER);

    assertThat(run.state()).isEqualTo(RunState.FAILED);
    assertThat(run.step("pack").failure().orElseThrow()).contains("WORKER_CRASHED");
  }

  @Test
  void storedDurableStepsAreNotRepeatedAfterACrash() {
    TestedRun<Parcel> run =
        shop()
            .handle(
                CHARGE,
                (order, context) -> {
                  String number =
                      context
                          .steps()
                          .run(
                              "bank",
                              String.class,
                              () -> {
                                log.add("bank");
                                return "B-" + context.fencingToken();
                              });
                  context.steps().sleep("cooling-off", Duration.ofDays(14));
                  log.add("charged");
                  return new Receipt(String.valueOf(number));
                })
            .crashAfter("charge")
            .run(FULFIL, ORDER);

    assertThat(run.result()).isNotNull();
    assertThat(run.output("charge", Receipt.class)).isEqualTo(new Receipt("B-1"));
    assertThat(log).containsExactly("bank", "charged", "charged", "shipped T-7");
    assertThat(run.attempts("charge"))
        .extracting(StepAttempt::outcome)
        .containsExactly(
            StepAttempt.Outcome.WAITS, StepAttempt.Outcome.CRASHED, StepAttempt.Outcome.RETURNED);
    assertThat(run.elapsed()).isEqualTo(Duration.ofDays(14));
  }

  @Test
  void aDurableStepThatWasNotStoredIsRepeatedAfterACrash() {
    WorkflowTester tester = shop();
    tester.handle(
        CHARGE,
        (order, context) -> {
          context
              .steps()
              .run(
                  "bank",
                  () -> {
                    log.add("bank");
                    if (context.fencingToken() == 1) {
                      throw tester.crash();
                    }
                  });
          return new Receipt("R");
        });

    tester.run(FULFIL, ORDER).orThrow();

    assertThat(log).containsExactly("bank", "bank", "shipped T-7");
  }

  @Test
  void aHandlerThatAwaitsASignalIsReportedAndReceivesIt() {
    TestedRun<Parcel> run =
        shop()
            .handle(
                CHARGE,
                (order, context) ->
                    new Receipt(
                        context
                            .steps()
                            .awaitSignal("approved", Approval.class, Duration.ofDays(9))
                            .map(Approval::by)
                            .orElse("nobody")))
            .start(FULFIL, ORDER)
            .runDue();

    assertThat(run.waitingFor())
        .first()
        .asString()
        .startsWith("step 'charge' waits for signal 'approved' in its handler since 2026-01-01T");
    run.signalJob("charge", "approved", new Approval(true, "ada")).runToEnd();
    assertThat(run.output("charge", Receipt.class)).isEqualTo(new Receipt("ada"));
    assertThatThrownBy(() -> run.signalJob("charge", "approved", null))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("ENDED");
  }

  @Test
  void aFailedRunIsRetriedFromTheFailedStep() {
    WorkflowTester tester = shop().fails(PACK, new IllegalStateException("out of boxes"));
    TestedRun<Parcel> run = tester.run(FULFIL, ORDER);
    assertThat(run.state()).isEqualTo(RunState.FAILED);

    tester.returns(PACK, new Parcel("T-late"));

    assertThat(run.retry().runToEnd().result()).isEqualTo(new Parcel("T-late"));
  }

  @Test
  void aCancelledRunCompensates() {
    TestedRun<Parcel> run =
        WorkflowTester.create()
            .returns(CHARGE, new Receipt("R"))
            .handle(REFUND, (what, context) -> log.add("refunded"))
            .start(FULFIL, ORDER)
            .runUntil("charge", StepState.SUCCEEDED)
            .cancel("no longer wanted")
            .runToEnd();

    assertThat(run.state()).isEqualTo(RunState.CANCELLED);
    assertThat(log).containsExactly("refunded");
  }

  @Test
  void aHandlerCanTakeLongerThanItsTimeout() {
    WorkflowTester tester = shop();
    TaskType<Order, Void> slow =
        TaskType.of("test::slow", Order.class)
            .with(job ->
                job.timeout(Duration.ofMinutes(5))
                    .retry(RetryPolicy.fixed(Duration.ZERO).maxAttempts(1)));
    Workflow<Order, Void> flow =
        Workflow.define("test::slow", Order.class, f -> f.step("slow", slow, f.input()));
    tester.handle(slow, (order, context) -> tester.advance(Duration.ofMinutes(6)));

    TestedRun<Void> run = tester.run(flow, ORDER);

    assertThat(run.state()).isEqualTo(RunState.FAILED);
    assertThat(run.step("slow").failure().orElseThrow()).contains("TIMED_OUT");
    assertThat(run.elapsed()).isEqualTo(Duration.ofMinutes(6));
  }

  @Test
  void aHandlerMustNotRunWorkflowsWithItsTester() {
    WorkflowTester tester = shop();
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    tester.handle(
        SHIP,
        (parcel, context) -> {
          try {
            tester.run(FULFIL, ORDER);
          } catch (IllegalStateException refused) {
            thrown.set(refused);
          }
        });

    tester.run(FULFIL, ORDER).orThrow();

    assertThat(thrown.get()).hasMessageContaining("context.client()");
  }

  @Test
  void aJobOfAHandlerStartsARun() {
    TaskType<Order, String> starter = FULFIL.starter();
    TaskType<Order, Void> place = TaskType.of("orders::place", Order.class);
    Workflow<Order, Void> flow =
        Workflow.define("test::places", Order.class, f -> f.step("place", place, f.input()));

    shop()
        .workflow(FULFIL)
        .handle(place, (order, context) -> context.client().enqueue(starter, order))
        .start(flow, ORDER)
        .runDue();

    assertThat(log).containsExactly("shipped T-7");
  }

  @Test
  void theClockStartsWhereTheTestSaysAndUnknownStepsAreRefused() {
    Instant start = Instant.parse("2030-06-01T12:00:00Z");
    WorkflowTester tester = WorkflowTester.create(start);

    TestedRun<Void> run = tester.start(APPROVE, ORDER);

    assertThat(tester.now()).isEqualTo(start);
    assertThat(run.run().createdAt()).isEqualTo(start);
    assertThatThrownBy(() -> run.state("aproval"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("aproval")
        .hasMessageContaining("approval");
    assertThatThrownBy(() -> tester.maxAttempts(0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> tester.maxTime(Duration.ofDays(100_000)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
