package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.engine.store.Definitions.Definition;
import dev.holdfast.engine.store.Definitions.Stored;
import dev.holdfast.engine.store.RetiredDefinitionException;
import dev.holdfast.engine.store.RunControl.Move;
import dev.holdfast.engine.store.RunIntake.NewSignal;
import dev.holdfast.engine.store.RunRow;
import dev.holdfast.engine.store.Upkeep.Retention;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Deleting runs whose retention has expired, and graphs that are not used, and no others. */
public abstract class RunUpkeepContract extends RunContract {
  private static final Retention RETENTION =
      new Retention(Duration.ofDays(10), Duration.ofDays(30));

  private void tidy() {
    for (int round = 0; round < 100; round++) {
      if (!store.upkeep().tidy(RETENTION).more()) {
        return;
      }
    }
    throw new AssertionError("There is still something to delete after 100 rounds.");
  }

  private RunId end() {
    RunId id = start(chain(1));
    runs.control().signal(id, new NewSignal("go", "1", null));
    succeedOne();
    settle();
    assertThat(runState(id)).isEqualTo(RunState.SUCCEEDED);
    return id;
  }

  private boolean hasAnything(RunId id) {
    return !runs.queries().results(id).isEmpty() || !runs.queries().events(id, 0, 10).isEmpty();
  }

  @Test
  void anEndedRunIsKeptCompletelyForItsRetention() {
    RunId id = end();
    passTime(Duration.ofDays(9));
    tidy();

    assertThat(runState(id)).isEqualTo(RunState.SUCCEEDED);
    assertThat(resultOf(id, 0).output()).isEqualTo("\"done\"");
    assertThat(runs.queries().events(id, 0, PLENTY)).hasSizeGreaterThan(3);
  }

  @Test
  void anEndedRunIsDeletedCompletelyAfterItsRetention() {
    RunId id = end();
    passTime(Duration.ofDays(11));
    tidy();

    assertThat(runs.queries().find(id)).isEmpty();
    assertThat(hasAnything(id)).isFalse();
  }

  @Test
  void nothingOfAnOpenRunIsDeleted() {
    RunId id = start(chain(3));
    succeedOne();
    settle();
    JobId failed = failOne().id();
    pause(id);
    RunRow.Details before = details(id);
    int events = runs.queries().events(id, 0, PLENTY).size();
    passTime(Duration.ofDays(100));
    tidy();

    assertThat(runState(id)).isEqualTo(RunState.PAUSED);
    assertThat(details(id).results()).hasSameSizeAs(before.results());
    assertThat(resultOf(id, 0).output()).isEqualTo("\"done\"");
    assertThat(runs.queries().events(id, 0, PLENTY)).hasSize(events);
    assertThat(exists(failed)).isTrue();
  }

  @Test
  void anEndedChildIsKeptAsLongAsItsParent() {
    RunDraft child = chain(1);
    RunId parent = startParentOf(child, 2);
    succeedOne();
    settle();
    assertThat(runState(child.id())).isEqualTo(RunState.SUCCEEDED);
    passTime(Duration.ofDays(20));
    tidy();
    assertThat(hasAnything(child.id())).isTrue();

    succeedOne();
    settle();
    assertThat(runState(parent)).isEqualTo(RunState.SUCCEEDED);
    tidy();
    assertThat(runs.queries().find(child.id())).isPresent();
    assertThat(details(parent).children()).containsValue(child.id());

    passTime(Duration.ofDays(11));
    tidy();
    tidy();
    assertThat(runs.queries().find(parent)).isEmpty();
    assertThat(runs.queries().find(child.id())).isEmpty();
    assertThat(hasAnything(child.id())).isFalse();
  }

  private List<Stored> stored(String hash) {
    return runs.definitions().find(List.of(hash));
  }

  /** Deletes what is retired: an hour later, and when older transactions have ended. */
  private void tidyRetired() {
    tidy();
    passTime(Duration.ofMinutes(61));
    tidy();
    tidy();
  }

  @Test
  void aGraphIsDeletedAnHourAfterItWasRetired() {
    passTime(Duration.ofDays(39));
    tidyRetired();
    assertThat(stored("hash-1")).isNotEmpty();

    passTime(Duration.ofDays(2));
    tidy();
    passTime(Duration.ofMinutes(50));
    tidy();
    assertThat(stored("hash-1")).isNotEmpty();
    passTime(Duration.ofMinutes(11));
    tidy();
    tidy();
    assertThat(stored("hash-1")).isEmpty();
    assertThat(runs.definitions().versions(RunDraft.WORKFLOW)).isEmpty();
  }

  @Test
  void aRunCannotBeStartedWithARetiredGraphUntilItIsRegisteredAgain() {
    passTime(Duration.ofDays(41));
    tidy();
    assertThatThrownBy(() -> admit(chain(1))).isInstanceOf(RetiredDefinitionException.class);
    assertThat(define("hash-1", RunDraft.WORKFLOW)).isEqualTo(definition);
    RunId first = start(chain(1));

    cancel(first);
    settle();
    assertThat(runState(first).hasEnded()).isTrue();
    passTime(Duration.ofDays(41));
    tidyRetired();
    assertThat(stored("hash-1")).isEmpty();
    assertThatThrownBy(() -> admit(chain(1))).isInstanceOf(RetiredDefinitionException.class);

    assertThat(define("hash-1", RunDraft.WORKFLOW)).isEqualTo(definition);
    assertThat(stored("hash-1").getFirst().definition().body()).contains("hash-1");
    start(chain(1));
  }

  @Test
  void aRunCannotBeMovedToARetiredGraphUntilItIsRegisteredAgain() {
    int retired = define("hash-2", RunDraft.WORKFLOW);
    passTime(Duration.ofDays(41));
    define("hash-1", RunDraft.WORKFLOW);
    RunId id = start(chain(1));
    tidy();
    Move move = new Move("A", retired, "A", Map.of(0, 0), Map.of());

    assertThatThrownBy(() -> runs.control().move(id, move))
        .isInstanceOf(RetiredDefinitionException.class)
        .hasMessageContaining(RunDraft.WORKFLOW);
    assertThat(row(id).definition()).isEqualTo(definition);

    assertThat(define("hash-2", RunDraft.WORKFLOW)).isEqualTo(retired);
    assertThat(runs.control().move(id, move).done()).isTrue();
    assertThat(row(id).definition()).isEqualTo(retired);
  }

  @Test
  void registeringARetiredGraphAgainKeepsIt() {
    passTime(Duration.ofDays(41));
    tidy();
    passTime(Duration.ofMinutes(50));
    define("hash-1", RunDraft.WORKFLOW);
    tidyRetired();

    assertThat(stored("hash-1")).isNotEmpty();
  }

  @Test
  void theGraphOfAnOpenRunIsKept() {
    RunId id = start(chain(1));
    passTime(Duration.ofDays(200));
    tidyRetired();
    assertThat(stored("hash-1")).isNotEmpty();

    succeedOne();
    settle();
    assertThat(runState(id)).isEqualTo(RunState.SUCCEEDED);
    passTime(Duration.ofDays(9));
    tidyRetired();
    assertThat(stored("hash-1")).as("the graph of a run in history").isNotEmpty();
    assertThat(row(id).hash()).isEqualTo("hash-1");
    passTime(Duration.ofDays(32));
    tidyRetired();
    assertThat(stored("hash-1")).isEmpty();
  }

  @Test
  void theGraphOfAChildWorkflowIsKeptAsLongAsThatOfItsParent() {
    Definition parent = new Definition("hash-p", "parent", 1, "{\"child\":\"hash-1\"}");
    int id = runs.definitions().register(List.of(parent)).getFirst().id();
    RunId open = start(new RunDraft(id, 1));
    passTime(Duration.ofDays(100));
    tidyRetired();
    assertThat(stored("hash-1")).isNotEmpty();

    succeedOne();
    settle();
    assertThat(runState(open)).isEqualTo(RunState.SUCCEEDED);
    passTime(Duration.ofDays(41));
    tidyRetired();
    tidyRetired();
    assertThat(stored("hash-p")).isEmpty();
    assertThat(stored("hash-1")).isEmpty();
  }
}
