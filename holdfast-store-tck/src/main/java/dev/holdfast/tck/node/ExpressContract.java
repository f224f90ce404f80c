package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.workflow.Run;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.Started;
import dev.holdfast.api.workflow.Step;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.store.RunAdvance;
import dev.holdfast.engine.store.RunControl;
import dev.holdfast.tck.fault.FaultyStore;
import dev.holdfast.tck.fault.StoreMethod;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Steps that a node stores together with what follows them, and what may come in between. */
public abstract class ExpressContract extends NodeTestBase {
  private static final TaskType<Note, Note> SAY =
      TaskType.of("express::say", Note.class, Note.class);
  private static final Workflow<Note, Note> CHAIN =
      Workflow.defineWithResult(
          "express::chain",
          Note.class,
          flow -> {
            Step<Note> first = flow.step("first", SAY, flow.input());
            Step<Note> second = flow.step("second", SAY, first);
            Step<Note> third = flow.step("third", SAY, second);
            return flow.step("fourth", SAY, third);
          });

  private final List<String> log = new CopyOnWriteArrayList<>();

  private HoldfastNode start(FaultyStore faulty) {
    return start(
        node(faulty)
            .handle(
                SAY,
                (note, context) -> {
                  log.add(note.text());
                  return new Note(note.text() + "!");
                }));
  }

  private void assertEnded(HoldfastNode node, Started<Note> run) throws InterruptedException {
    assertThat(node.client().runs().await(run, SOON)).isEqualTo(new Note("a!!!!"));
    assertThat(log).containsExactly("a", "a!", "a!!", "a!!!");
  }

  @Test
  void aNodeThatKnowsARunStoresASuccessTogetherWithTheNextStep() throws Exception {
    FaultyStore faulty = new FaultyStore(store());
    HoldfastNode node = start(faulty);

    Started<Note> run = node.client().runs().start(CHAIN, new Note("a"));

    assertEnded(node, run);
    // The last one ends the run.
    assertThat(faulty.calls(StoreMethod.EXPRESS)).isEqualTo(4);
    assertThat(faulty.calls(StoreMethod.FINISH)).isZero();
  }

  @Test
  void aRunThatWasStartedElsewhereIsKnownFromTheClaimOfItsFirstStep() throws Exception {
    FaultyStore faulty = new FaultyStore(store());
    HoldfastNode node = start(faulty);

    Started<Note> run = client().runs().start(CHAIN, new Note("a"));

    assertEnded(node, run);
    assertThat(faulty.calls(StoreMethod.EXPRESS)).isEqualTo(4);
    assertThat(faulty.calls(StoreMethod.ADVANCE)).isZero();
  }

  @Test
  void aRunThatCannotBeReadIsAdvancedAsUsual() throws Exception {
    FaultyStore faulty = new FaultyStore(store()).failNext(StoreMethod.LOOK_AT_RUNS);
    HoldfastNode node = start(faulty);

    assertEnded(node, client().runs().start(CHAIN, new Note("a")));

    assertThat(faulty.calls(StoreMethod.LOOK_AT_RUNS)).isPositive();
    assertThat(faulty.calls(StoreMethod.ADVANCE)).isPositive();
  }

  @Test
  void noStepRunsTwiceIfAReplyIsLost() throws Exception {
    FaultyStore faulty = new FaultyStore(store()).loseReply(StoreMethod.EXPRESS);
    HoldfastNode node = start(faulty);

    assertEnded(node, node.client().runs().start(CHAIN, new Note("a")));
  }

  @Test
  void noStepIsMissedIfACallFails() throws Exception {
    FaultyStore faulty = new FaultyStore(store()).failNext(StoreMethod.EXPRESS);
    HoldfastNode node = start(faulty);

    assertEnded(node, node.client().runs().start(CHAIN, new Note("a")));
  }

  @Test
  void aRunThatIsPausedWhileAStepIsStoredStartsNothing() throws Exception {
    AtomicBoolean paused = new AtomicBoolean();
    FaultyStore faulty = new FaultyStore(store());
    faulty.before(
        StoreMethod.EXPRESS,
        arguments -> {
          if (paused.compareAndSet(false, true)) {
            assertThat(pause(arguments).done()).isTrue();
          }
        });
    HoldfastNode node = start(faulty);

    Started<Note> run = node.client().runs().start(CHAIN, new Note("a"));

    Run stopped = awaitFirstStep(run.id());
    assertThat(stopped.state()).isEqualTo(RunState.PAUSED);
    assertThat(log).containsExactly("a");
    client().runs().resume(run.id());
    assertEnded(node, run);
  }

  private RunControl.Result pause(List<Object> arguments) {
    RunAdvance.Express step = (RunAdvance.Express) ((List<?>) arguments.get(1)).getFirst();
    return store().runs().control().pause(step.run(), "test");
  }

  /** Waits until the success of the first step was applied. */
  private Run awaitFirstStep(RunId id) {
    Awaitility.await()
        .atMost(SOON)
        .until(() ->
            client().runs().find(id).orElseThrow().step("first").orElseThrow().state().hasEnded());
    return client().runs().find(id).orElseThrow();
  }

  @Test
  void branchesThatEndTogetherAreJoinedOnce() throws Exception {
    int branches = 6;
    Workflow<Note, Void> diamond =
        Workflow.define(
            "express::diamond",
            Note.class,
            flow -> {
              Step<Note> first = flow.step("first", SAY, flow.input());
              List<Step<Note>> middle =
                  IntStream.range(0, branches)
                      .mapToObj(i -> flow.step("middle-" + i, SAY, first))
                      .toList();
              flow.step("last", SAY, middle.getFirst()).after(middle.toArray(Step<?>[]::new));
            });
    HoldfastNode node = start(new FaultyStore(store()));

    for (int round = 0; round < 10; round++) {
      log.clear();
      node.client().runs().await(node.client().runs().start(diamond, new Note("a")), SOON);

      assertThat(log).hasSize(branches + 2);
      assertThat(log.getLast()).isEqualTo("a!!");
    }
  }

  @Test
  void theStepsAfterTheFirstRunWithoutAClaim() throws Exception {
    FaultyStore faulty = new FaultyStore(store());
    faulty.before(
        StoreMethod.CLAIM,
        arguments -> {
          if (!log.isEmpty()) {
            throw new StoreException(StoreException.Outcome.RETRYABLE, "No claims.", null);
          }
        });
    HoldfastNode node = start(faulty);

    assertEnded(node, node.client().runs().start(CHAIN, new Note("a")));
  }

  @Test
  void noSlotIsLostIfStepsCannotBeStoredOrTheirRepliesAreLost() throws Exception {
    FaultyStore faulty = new FaultyStore(store());
    HoldfastNode node =
        start(
            node(faulty)
                .queue("default", 1)
                .handle(
                    SAY,
                    (note, context) -> {
                      log.add(note.text());
                      return new Note(note.text() + "!");
                    }));

    assertEnded(node, node.client().runs().start(CHAIN, new Note("a")));
    log.clear();
    faulty.failNext(StoreMethod.EXPRESS);
    assertEnded(node, node.client().runs().start(CHAIN, new Note("a")));
    log.clear();
    faulty.loseReply(StoreMethod.EXPRESS);
    assertEnded(node, node.client().runs().start(CHAIN, new Note("a")));
    log.clear();
    assertEnded(node, node.client().runs().start(CHAIN, new Note("a")));
  }

  @Test
  void noStepStartsInAQueueThatWasPausedMeanwhile() throws Exception {
    AtomicBoolean paused = new AtomicBoolean();
    FaultyStore faulty = new FaultyStore(store());
    faulty.before(
        StoreMethod.EXPRESS,
        arguments -> {
          if (paused.compareAndSet(false, true)) {
            store().queues().pause("default");
          }
        });
    HoldfastNode node = start(faulty);

    Started<Note> run = node.client().runs().start(CHAIN, new Note("a"));

    awaitFirstStep(run.id());
    assertThat(log).containsExactly("a");
    client().queues().resume("default");
    assertEnded(node, run);
  }
}
