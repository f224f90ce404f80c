package dev.holdfast.engine.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.task.TaskType;
import dev.holdfast.api.workflow.MaxActive;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.engine.codec.JsonCodec;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.Definitions.Definition;
import dev.holdfast.engine.store.Definitions.Stored;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.NewRun;
import dev.holdfast.engine.store.RunAdvance;
import dev.holdfast.engine.store.RunFacts;
import dev.holdfast.engine.store.RunPhase;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.engine.store.RunSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a node remembers of runs, and what it plans from it. */
class KnownRunsTest {
  private static final int PLAIN = 1;
  private static final int LIMITED = 2;
  private static final TaskType<String, String> SAY =
      TaskType.of("known::say", String.class, String.class);

  private final GraphPlanner planner = new GraphPlanner(UUID::randomUUID);
  private final KnownRuns known = new KnownRuns(planner);

  KnownRunsTest() {
    learn(
        PLAIN,
        Workflow.define("known::plain", String.class, flow -> flow.step("a", SAY, flow.input())));
    learn(
        LIMITED,
        Workflow.define(
            "known::limited",
            String.class,
            flow -> {
              flow.step("a", SAY, flow.input());
              flow.maxActive(MaxActive.of(1));
            }));
    known.keep();
  }

  private void learn(int id, Workflow<String, Void> workflow) {
    Definition graph = WorkflowCatalog.definitions(workflow, new JsonCodec()).getLast();
    planner.learn(new Stored(id, graph));
  }

  /** Starts a run here, and returns its first job. */
  private JobId start(int definition, String input, @Nullable String startedBy) {
    RunId id = new RunId(UUID.randomUUID());
    RunSource source = new RunSource(null, startedBy);
    RunPlan first =
        planner.first(new GraphPlanner.Start(id, definition, input, null, source, List.of()));
    known.started(
        new NewRun(
            id,
            false,
            new NewRun.Content(
                definition,
                "known",
                input,
                null,
                Set.of(),
                null,
                null,
                null,
                null,
                null,
                source,
                List.of()),
            first));
    return first.jobs().getFirst().job().id();
  }

  private static String text(int length) {
    return "\"%s\"".formatted("x".repeat(length));
  }

  private KnownRuns.@Nullable Next next(JobId job) {
    return known.next(new Finish.Succeeded(new ClaimId(job, 1), null, null));
  }

  @Test
  void theTextsOfAllRunsTogetherAreLimited() {
    List<JobId> jobs = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      jobs.add(start(PLAIN, text(7_900), null));
    }

    assertThat(known.contains(jobs.getLast())).isTrue();
    assertThat(jobs.stream().filter(known::contains)).hasSizeBetween(900, 1_013);
  }

  @Test
  void runsThatAreForgottenMakeRoomForOthers() {
    for (int i = 0; i < 2_000; i++) {
      JobId job = start(PLAIN, text(7_900), null);
      KnownRuns.Next next = Objects.requireNonNull(next(job));
      known.forget(next.step().run());
    }
    List<JobId> jobs = new ArrayList<>();
    for (int i = 0; i < 900; i++) {
      jobs.add(start(PLAIN, text(7_900), null));
    }

    assertThat(jobs).allMatch(known::contains);
  }

  @Test
  void theEventThatStartedARunCountsAsOneOfItsTexts() {
    assertThat(known.contains(start(PLAIN, text(10), text(8_000)))).isFalse();
  }

  @Test
  void theEndOfARunIsPlannedUnlessOthersWaitForIt() {
    KnownRuns.Next last = Objects.requireNonNull(next(start(PLAIN, text(1), null)));
    assertThat(last.step().ends()).isTrue();

    assertThat(next(start(LIMITED, text(1), null))).as("others behind the gate").isNull();
    assertThat(next(seen(false))).isNotNull();
    assertThat(next(seen(true))).as("the run that started it").isNull();
  }

  /** Reads a run that another node has started, and returns its job. */
  private JobId seen(boolean child) {
    JobId job = new JobId(UUID.randomUUID());
    RunFacts facts =
        new RunFacts(
            new RunId(UUID.randomUUID()),
            PLAIN,
            RunState.RUNNING,
            RunPhase.MAIN,
            "A",
            text(1),
            null,
            null,
            RunSource.NONE,
            0,
            List.of(),
            Map.of(),
            Map.of());
    known.learn(new RunAdvance.Seen(facts, 1, Map.of(job, 0), child));
    return job;
  }
}
