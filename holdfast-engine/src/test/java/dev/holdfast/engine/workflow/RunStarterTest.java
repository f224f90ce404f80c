package dev.holdfast.engine.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.codec.PayloadCodec;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.workflow.MaxActive;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunOptions;
import dev.holdfast.api.workflow.Started.Outcome;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.engine.codec.JsonCodec;
import dev.holdfast.engine.intake.ClientSettings;
import dev.holdfast.engine.intake.JobOrigin;
import dev.holdfast.engine.notify.ClusterCoordinator;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.notify.SignalBus;
import dev.holdfast.engine.store.Definitions;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.engine.store.NewRun;
import dev.holdfast.engine.store.RunAdvance;
import dev.holdfast.engine.store.RunIntake;
import dev.holdfast.engine.store.RunIntake.Admission;
import dev.holdfast.engine.store.RunIntake.NewSignal;
import dev.holdfast.engine.store.StartHere;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a start reserves on its node, learns and announces. */
class RunStarterTest {
  private static final TaskType<String, String> SAY =
      TaskType.of("starter::say", String.class, String.class);
  private static final Workflow<String, Void> FLOW =
      Workflow.define("starter::flow", String.class, flow -> flow.step("say", SAY, flow.input()));
  private static final RunOptions ANY = RunOptions.of(run -> {});
  private static final Workflow<String, Void> LIMITED =
      Workflow.define(
          "starter::limited",
          String.class,
          flow -> {
            flow.step("say", SAY, flow.input());
            flow.maxActive(MaxActive.of(1).onFull(MaxActive.OnFull.REPLACE));
          });

  private final PayloadCodec codec = new JsonCodec();
  private final WorkflowCatalog catalog =
      new WorkflowCatalog(new Registered(), codec, new GraphPlanner(UUID::randomUUID));
  private final SignalBus bus = new SignalBus(ClusterCoordinator.withinProcess());
  private final List<Signal> signals = new ArrayList<>();
  private final List<NewJob> offered = new ArrayList<>();
  private final List<NewRun> started = new ArrayList<>();
  private final RunStarter starter =
      new RunStarter(catalog, codec, ClientSettings.DEFAULT, bus, UUID::randomUUID, JobOrigin.NONE);
  private boolean queued;
  private Set<UUID> stopping = Set.of();

  RunStarterTest() {
    bus.subscribe(signals::add);
    starter.handOver(new Recorder());
    catalog.known().keep();
  }

  /** Stores graphs under the numbers in which they arrive. */
  private static final class Registered implements Definitions {
    private final List<Stored> stored = new ArrayList<>();

    @Override
    public List<Stored> register(List<Definition> definitions) {
      List<Stored> fresh =
          definitions.stream()
              .map(definition -> new Stored(stored.size() + 1, definition))
              .toList();
      stored.addAll(fresh);
      return fresh;
    }

    @Override
    public List<Stored> find(Collection<String> hashes) {
      return List.of();
    }

    @Override
    public List<Stored> versions(String workflow) {
      return List.of();
    }

    @Override
    public List<String> names() {
      return List.of();
    }

    @Override
    public List<Stored> latest(@Nullable String after, int limit) {
      return List.of();
    }
  }

  private final class Recorder implements HandOver {
    @Override
    public Offer offer(UUID incarnation, List<RunAdvance.Express> steps) {
      return Offer.NONE;
    }

    @Override
    public Offer offer(List<NewJob> jobs) {
      offered.addAll(jobs);
      return Offer.NONE;
    }
  }

  private Admission intake(NewRun run, @Nullable NewSignal signal, StartHere here) {
    started.add(run);
    return new Admission(run.id(), Outcome.CREATED, queued).stopping(stopping);
  }

  private void start(Workflow<String, Void> workflow, RunOptions options) {
    RunIntake intake = this::intake;
    starter.start(intake, workflow, "hello", options, null);
  }

  private JobId firstJob() {
    return started.getLast().first().jobs().getFirst().job().id();
  }

  @Test
  void aRunThatMayStartAtOnceGetsASlotOfThisNode() {
    start(FLOW, ANY);

    assertThat(offered).extracting(NewJob::id).containsExactly(firstJob());
    assertThat(catalog.known().contains(firstJob())).isTrue();
    assertThat(signals).contains(new Signal.NewWork("default", 4, 1));
  }

  @Test
  void noSlotIsReservedForARunThatOthersMayKeepFromStarting() {
    start(FLOW, RunOptions.of(run -> run.unique(UniqueKey.whileActive("key"))));
    start(FLOW, RunOptions.of(run -> run.id(new RunId(UUID.randomUUID()))));
    start(LIMITED, ANY);

    assertThat(started).hasSize(3);
    assertThat(offered).isEmpty();
  }

  @Test
  void aRunThatAnAdvanceHasToPlanHasNoJobsYet() {
    queued = true;
    start(LIMITED, ANY);

    assertThat(catalog.known().contains(firstJob())).isFalse();
    assertThat(signals).containsExactly(new Signal.RunsMarked(Duration.ZERO));
  }

  @Test
  void aStartThatReplacesRunsInterruptsTheirJobs() {
    queued = true;
    UUID holder = UUID.randomUUID();
    stopping = Set.of(holder);
    start(LIMITED, ANY);

    assertThat(signals).contains(new Signal.HeartbeatRequested(holder));
  }

  @Test
  void aWorkflowThatTheProgramHasForgottenIsForgotten() {
    WeakReference<Workflow<String, Void>> once = new WeakReference<>(startOnce());

    Awaitility.await()
        .until(() -> {
          System.gc();
          return once.get() == null;
        });
  }

  private Workflow<String, Void> startOnce() {
    Workflow<String, Void> workflow =
        Workflow.define("starter::once", String.class, flow -> flow.step("say", SAY, flow.input()));
    start(workflow, ANY);
    return workflow;
  }
}
