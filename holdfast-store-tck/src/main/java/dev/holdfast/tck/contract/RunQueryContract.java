package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Counts;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunFilter;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Definitions.Definition;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.RunQueries.StoredEvent;
import dev.holdfast.engine.store.RunRow;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Finding, listing and counting runs, and their events. */
public abstract class RunQueryContract extends RunContract {

  private List<RunId> list(RunFilter filter) {
    return runs.queries().list(filter, null, PLENTY).stream().map(RunRow::id).toList();
  }

  private List<StoredEvent> events(RunId id) {
    return runs.queries().events(id, 0, PLENTY);
  }

  @Test
  void eventsAreNumberedWithoutGaps() {
    RunId id = start(chain(2));
    succeedOne();
    settle();
    pause(id);
    resume(id);
    settle();
    succeedOne();
    settle();

    List<StoredEvent> events = events(id);
    assertThat(events)
        .extracting(StoredEvent::seq)
        .containsExactlyElementsOf(LongStream.rangeClosed(1, events.size()).boxed().toList());
    assertThat(events)
        .extracting(event -> event.event().kind())
        .containsExactly(
            RunEvent.Kind.CREATED,
            RunEvent.Kind.STEP_STARTED,
            RunEvent.Kind.STEP_SUCCEEDED,
            RunEvent.Kind.STEP_STARTED,
            RunEvent.Kind.PAUSED,
            RunEvent.Kind.RESUMED,
            RunEvent.Kind.STEP_SUCCEEDED,
            RunEvent.Kind.ENDED);
  }

  @Test
  void eventsAreReadFromACursorAtMostTheGivenNumber() {
    RunId id = start(chain(2));
    succeedOne();
    settle();

    assertThat(runs.queries().events(id, 1, 2)).isEqualTo(events(id).subList(1, 3));
    assertThat(runs.queries().events(id, 1000, 2)).isEmpty();
  }

  @Test
  void runsAreListedNewestFirstAndInPages() {
    RunId first = start(chain(1));
    RunId second = start(chain(1));
    RunId third = start(chain(1));

    assertThat(list(RunFilter.all())).containsExactly(third, second, first);
    assertThat(runs.queries().list(RunFilter.all(), null, 2))
        .extracting(RunRow::id)
        .containsExactly(third, second);
    assertThat(runs.queries().list(RunFilter.all(), second, 2))
        .extracting(RunRow::id)
        .containsExactly(first);
  }

  @Test
  void openAndEndedRunsAreListedAndCountedTogether() {
    RunId ended = start(chain(1));
    succeedOne();
    settle();
    RunId open = start(chain(1));

    assertThat(list(RunFilter.all())).containsExactly(open, ended);
    assertThat(list(RunFilter.all().state(RunState.SUCCEEDED))).containsExactly(ended);
    assertThat(list(RunFilter.all().state(RunState.RUNNING, RunState.PAUSED)))
        .containsExactly(open);
    assertThat(runs.queries().count(RunFilter.all()).byState())
        .isEqualTo(Map.of(RunState.RUNNING, 1L, RunState.SUCCEEDED, 1L));
  }

  @Test
  void countingRunsStopsAtItsBoundAndNamesTheState() {
    for (int i = 0; i < 3; i++) {
      start(chain(1).tags("vip"));
      succeedOne();
    }
    settle();
    for (int i = 0; i < 3; i++) {
      start(chain(1).tags("vip"));
    }
    pause(start(chain(1).tags("vip")));

    for (RunFilter filter :
        List.of(
            RunFilter.all(),
            RunFilter.all().workflow(RunDraft.WORKFLOW),
            RunFilter.all().tag("vip"),
            RunFilter.all().createdAfter(Instant.EPOCH))) {
      assertThat(runs.queries().count(filter, 2))
          .as("two of %s", filter)
          .isEqualTo(
              new Counts<>(
                  Map.of(RunState.SUCCEEDED, 2L, RunState.RUNNING, 2L, RunState.PAUSED, 1L),
                  Set.of(RunState.SUCCEEDED, RunState.RUNNING)));
      assertThat(runs.queries().count(filter, 3))
          .as("three of %s", filter)
          .isEqualTo(
              new Counts<>(
                  Map.of(RunState.SUCCEEDED, 3L, RunState.RUNNING, 3L, RunState.PAUSED, 1L),
                  Set.of()));
    }
  }

  @Test
  void runsAreFilteredByTagAndWorkflow() {
    RunId tagged = start(chain(1).tags("vip", "eu"));
    RunId other = start(chain(1).workflow("another").tags("eu"));

    assertThat(list(RunFilter.all().tag("vip"))).containsExactly(tagged);
    assertThat(list(RunFilter.all().tag("eu"))).containsExactly(other, tagged);
    assertThat(list(RunFilter.all().tag("eu").workflow("another"))).containsExactly(other);
    assertThat(runs.queries().count(RunFilter.all().tag("vip")).byState())
        .isEqualTo(Map.of(RunState.RUNNING, 1L));
    assertThat(row(tagged).tags()).containsExactlyInAnyOrder("vip", "eu");
  }

  @Test
  void runsAreFilteredByParentAndTime() {
    RunDraft child = chain(1);
    RunId parent = startParentOf(child, 1);

    assertThat(list(RunFilter.all().childrenOf(parent))).containsExactly(child.id());
    RunFilter since = RunFilter.all().createdAfter(row(parent).createdAt());
    assertThat(list(since)).containsExactly(child.id(), parent);
    assertThat(list(RunFilter.all().createdBefore(row(parent).createdAt()))).isEmpty();
  }

  private Map<RunId, String> stranded(RunId... ids) {
    return runs.queries().stranded(List.of(ids));
  }

  @Test
  void aRunIsStrandedWhileNoLiveNodeKnowsTheTaskOfAReadyStep() {
    RunId id = start(chain(1));
    Worker.join(store, "other", QUEUE, "another::task");
    Worker elsewhere = Worker.join(store, "elsewhere", "another-queue", TASK);
    assertThat(stranded(id).get(id)).startsWith("VERSION_STRANDED:").contains(TASK);
    assertThat(list(RunFilter.all().stranded())).containsExactly(id);
    assertThat(runs.queries().count(RunFilter.all().stranded()).byState())
        .isEqualTo(Map.of(RunState.RUNNING, 1L));
    assertThat(store.queues().sample(Set.of(), Duration.ZERO).orElseThrow().strandedRuns())
        .isEqualTo(1);

    Worker knowing = worker("knowing");
    assertThat(stranded(id)).isEmpty();
    assertThat(list(RunFilter.all().stranded())).isEmpty();
    passTime(Duration.ofMinutes(2));
    assertThat(store.queues().sample(Set.of(), Duration.ZERO).orElseThrow().strandedRuns())
        .isZero();

    knowing.leave();
    assertThat(stranded(id)).containsKey(id);
    assertThat(elsewhere.registration().tasks()).contains(TASK);
  }

  @Test
  void aRunWhoseStepsAreNotReadyIsNotStranded() {
    Worker worker = worker();
    RunId running = start(chain(1));
    worker.claimOne();
    RunId paused = start(chain(1));
    pause(paused);
    RunId scheduled = start(chain(1).first(plan -> plan.job(0, job().dueIn(Duration.ofHours(1)))));
    worker.leave();
    Worker.join(store, "other", QUEUE, "another::task");

    assertThat(stranded(running, paused, scheduled)).isEmpty();
    assertThat(list(RunFilter.all().stranded())).isEmpty();
  }

  private static void mismatch(Worker worker) {
    ClaimedJob job = worker.claimOne();
    Finish.Failure failure =
        new Finish.Failure(
            job.attempt(),
            FailureCode.JOURNAL_MISMATCH,
            null,
            "The journal of %s does not match.".formatted(job.id()),
            null,
            worker.registration().id());
    worker.finish(new Finish.RetryIn(job.claim(), Duration.ofMinutes(1), failure));
  }

  @Test
  void aRunIsStrandedWhileTheJournalOfAStepMatchesNoLiveNode() {
    RunId id = start(chain(1));
    Worker first = worker("first");
    mismatch(first);
    assertThat(stranded(id).get(id))
        .startsWith("VERSION_STRANDED:")
        .contains("The journal of " + jobOf(id, 0).id());
    assertThat(list(RunFilter.all().stranded())).containsExactly(id);
    assertThat(store.queues().sample(Set.of(), Duration.ZERO).orElseThrow().strandedRuns())
        .isEqualTo(1);

    Worker second = worker("second");
    assertThat(stranded(id)).as("another node may match").isEmpty();
    assertThat(list(RunFilter.all().stranded())).isEmpty();
    passTime(Duration.ofMinutes(2));
    stage();
    assertThat(jobState(id, 0)).isEqualTo(JobState.READY);
    assertThat(stranded(id)).isEmpty();

    mismatch(second);
    assertThat(stranded(id)).containsKey(id);
    first.leave();
    worker("first");
    assertThat(stranded(id)).as("a node that was started again may match").isEmpty();
    assertThat(list(RunFilter.all().stranded())).isEmpty();
  }

  @Test
  void aRunIsNotStrandedAfterAnotherFailureThanAMismatch() {
    RunId id = start(chain(1));
    Worker worker = worker();
    mismatch(worker);
    passTime(Duration.ofMinutes(2));
    stage();
    worker.retryIn(worker.claimOne(), Duration.ofHours(1));

    assertThat(stranded(id)).isEmpty();
    assertThat(list(RunFilter.all().stranded())).isEmpty();
  }

  @Test
  void aRunIsStrandedWhileNoLiveNodeServesItsStack() {
    RunId id = start(chain(1).first(plan -> plan.job(0, job().stack("blue"))));
    Worker green = serving("green", "green");
    assertThat(stranded(id).get(id)).contains("stack 'blue'");
    assertThat(list(RunFilter.all().stranded())).containsExactly(id);

    Worker blue = serving("blue", "blue");
    assertThat(stranded(id)).isEmpty();
    assertThat(list(RunFilter.all().stranded())).isEmpty();
    blue.leave();
    assertThat(list(RunFilter.all().stranded())).containsExactly(id);
    assertThat(green.beat()).isNotNull();
  }

  @Test
  void aRunIsStrandedWhileNoLiveNodeReadsTheFormatOfItsGraph() {
    Definition newer = new Definition("hash-9", RunDraft.WORKFLOW, 9, "{}");
    int graph = runs.definitions().register(List.of(newer)).getFirst().id();
    RunId id = start(new RunDraft(graph, 1));
    RunId other = start(chain(1));
    worker();

    assertThat(stranded(id, other)).containsOnlyKeys(id);
    assertThat(stranded(id).get(id)).startsWith("VERSION_STRANDED:").contains("format 9");
    assertThat(list(RunFilter.all().stranded())).containsExactly(id);
    assertThat(list(RunFilter.all().stranded().workflow("another"))).isEmpty();
    assertThat(list(RunFilter.all().stranded().state(RunState.PAUSED))).isEmpty();

    store.nodes().register(Worker.registration("newer", Set.of(QUEUE), Set.of(TASK), 9));
    assertThat(stranded(id)).isEmpty();
    assertThat(list(RunFilter.all().stranded())).isEmpty();
  }

  @Test
  void aRunThatHasEndedIsNotStranded() {
    RunId id = start(chain(1));
    succeedOne();
    settle();
    assertThat(stranded(id)).isEmpty();
  }

  @Test
  void theSizeOfItsOutputsIsCounted() {
    RunId id = start(chain(2));
    succeedOne();
    settle();

    assertThat(row(id).bytes()).isEqualTo("\"done\"".length());
  }

  @Test
  void anUnknownRunIsNotFound() {
    RunId unknown = new RunId(freshIncarnation());

    assertThat(runs.queries().find(unknown)).isEmpty();
    assertThat(runs.queries().events(unknown, 0, PLENTY)).isEmpty();
    assertThat(runs.control().children(unknown)).isEmpty();
  }
}
