package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.Page;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.workflow.RunFilter;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.codec.JsonCodec;
import dev.holdfast.engine.intake.ClientSettings;
import dev.holdfast.engine.notify.ClusterCoordinator;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.tck.fault.FaultyStore;
import dev.holdfast.tck.fault.StoreMethod;
import dev.holdfast.testkit.memory.InMemoryStore;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** A start or rerun whose reply was lost is repeated, and nodes are told about its jobs. */
class RepeatedStartTest {
  /** A payload. */
  record Note(String text) {}

  private static final TaskType<Note, Note> SAY =
      TaskType.of("repeated::say", Note.class, Note.class);
  private static final Workflow<Note, Void> FLOW =
      Workflow.define("repeated::flow", Note.class, flow -> flow.step("say", SAY, flow.input()));

  private final FaultyStore store = new FaultyStore(new InMemoryStore(InstantSource.system()));
  private final ClusterCoordinator coordinator = ClusterCoordinator.withinProcess();
  private final List<Signal> signals = new CopyOnWriteArrayList<>();

  private List<Signal> newWork() {
    return signals.stream().filter(signal -> signal instanceof Signal.NewWork).toList();
  }

  @Test
  void aStartAndARerunWhoseRepliesWereLostAreAnnouncedOnce() {
    try (Holdfast client =
        HoldfastClient.on(store, new JsonCodec(), ClientSettings.DEFAULT, coordinator)) {
      coordinator.onSignal(signals::add);
      store.loseReply(StoreMethod.START_RUN);

      RunId run = client.runs().start(FLOW, new Note("a")).id();

      assertThat(store.allFaultsHappened()).isTrue();
      assertThat(newWork()).containsExactly(new Signal.NewWork("default", 4, 1));
      store.loseReply(StoreMethod.START_RUN);

      RunId again = client.runs().rerun(run, List.of(), null);

      assertThat(store.allFaultsHappened()).isTrue();
      assertThat(again).isNotEqualTo(run);
      assertThat(newWork()).hasSize(2);
      assertThat(client.runs().list(RunFilter.all(), Page.first(10))).hasSize(2);
    }
  }
}
