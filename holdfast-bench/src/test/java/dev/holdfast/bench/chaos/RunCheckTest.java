package dev.holdfast.bench.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.bench.chaos.Evidence.Effect;
import dev.holdfast.bench.chaos.RunEvidence.EndedRun;
import dev.holdfast.bench.chaos.RunEvidence.ParentStep;
import dev.holdfast.bench.chaos.RunEvidence.StepJob;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RunCheckTest {
  private static final UUID RUN = new UUID(2, 2);
  private static final UUID CHILD = new UUID(2, 3);

  private final List<EndedRun> ended = new ArrayList<>();
  private final List<StepJob> jobs = new ArrayList<>();
  private final List<UUID> bookings = new ArrayList<>();
  private final List<Effect> effects = new ArrayList<>();

  /** A chain as it should be: its jobs have effects one after another. */
  @BeforeEach
  void chain() {
    ended.add(new EndedRun(RUN, "SUCCEEDED", null));
    job(0, ChaosTask.TYPE.name());
    for (int item = 0; item < ChaosFlows.ITEMS; item++) {
      job(1, ChaosTask.TYPE.name());
    }
    bookings.add(job(2, ChaosFlows.BOOK.name()));
    job(4, ChaosTask.TYPE.name());
  }

  private UUID job(int step, String task) {
    return job(RUN, step, task);
  }

  private UUID job(UUID run, int step, String task) {
    UUID id = new UUID(3, jobs.size());
    jobs.add(new StepJob(id, run, step, task));
    effects.add(new Effect(id, 1, "a", true, effects.size() * 10_000L));
    return id;
  }

  private Findings check() {
    return RunCheck.check(
        new RunEvidence(Map.of(RUN, ChaosFlows.CHAIN), ended, jobs, bookings, effects));
  }

  @Test
  void aRunWhoseStepsFollowEachOtherIsNoViolation() {
    assertThat(check().sentences()).isEmpty();
    assertThat(check().none()).isTrue();
  }

  @Test
  void aRunThatHasNotEndedIsDetected() {
    ended.clear();

    assertThat(check().wrongRuns()).isOne();
    assertThat(check().sentences())
        .containsExactly("Run %s was to succeed once, but has not ended.".formatted(RUN));
  }

  @Test
  void aRunThatFailedIsDetected() {
    ended.set(0, new EndedRun(RUN, "FAILED", null));

    assertThat(check().wrongRuns()).isOne();
  }

  @Test
  void aRunThatEndedTwiceIsDetected() {
    ended.add(new EndedRun(RUN, "SUCCEEDED", null));

    assertThat(check().wrongRuns()).isOne();
  }

  @Test
  void aStepWithTwoJobsIsDetected() {
    job(4, ChaosTask.TYPE.name());

    assertThat(check().wrongRuns()).isOne();
  }

  @Test
  void aMapWithoutAllOfItsJobsIsDetected() {
    jobs.remove(1);

    assertThat(check().wrongRuns()).isOne();
  }

  @Test
  void aStepThatRanBeforeItsDependencyIsDetected() {
    effects.add(new Effect(jobs.get(1).job(), 2, "b", true, 55_000));

    assertThat(check().earlySteps()).isOne();
    assertThat(check().sentences())
        .containsExactly(
            "Run %s: step 2 had effects 5 us before the last one of step 1, on which it depends."
                .formatted(RUN));
  }

  @Test
  void aDependencyBehindASignalCounts() {
    effects.add(new Effect(jobs.get(5).job(), 2, "b", true, 65_000));

    assertThat(check().earlySteps()).isOne();
  }

  /** A run with a child run, instead of the chain. */
  private void parent() {
    jobs.clear();
    bookings.clear();
    effects.clear();
    ended.add(new EndedRun(CHILD, "SUCCEEDED", new ParentStep(RUN, 1)));
    job(RUN, 0, ChaosTask.TYPE.name());
    bookings.add(job(CHILD, 0, ChaosFlows.BOOK.name()));
    job(CHILD, 1, ChaosTask.TYPE.name());
    job(CHILD, 3, ChaosTask.TYPE.name());
    job(CHILD, 4, ChaosTask.TYPE.name());
    job(CHILD, 5, ChaosFlows.CLEAN.name());
    job(RUN, 2, ChaosTask.TYPE.name());
  }

  private Findings checkParent() {
    return RunCheck.check(
        new RunEvidence(Map.of(RUN, ChaosFlows.PARENT), ended, jobs, bookings, effects));
  }

  @Test
  void aRunWithAChildRunIsNoViolation() {
    parent();

    assertThat(checkParent().sentences()).isEmpty();
  }

  @Test
  void aFinallyStepThatRanBeforeAnotherStepIsDetected() {
    parent();
    effects.add(new Effect(jobs.get(4).job(), 2, "b", true, 51_000));

    assertThat(checkParent().sentences())
        .containsExactly(
            "Run %s: step 5 had effects 1 us before the last one of step 4, on which it depends."
                .formatted(CHILD));
  }

  @Test
  void aFinallyStepThatDidNotRunIsDetected() {
    parent();
    jobs.remove(5);

    assertThat(checkParent().sentences())
        .containsExactly(
            "Step 'clean' of run %s has 0 jobs that ended instead of 1.".formatted(CHILD));
  }

  @Test
  void aStepThatRanBeforeTheEndOfAChildRunIsDetected() {
    parent();
    effects.add(new Effect(jobs.get(5).job(), 2, "b", true, 61_000));

    assertThat(checkParent().sentences())
        .containsExactly(
            "Run %s: step 2 had effects 1 us before the last one of step 5, on which it depends."
                .formatted(RUN));
  }

  @Test
  void aChildRunThatFailedOrIsMissingIsDetected() {
    parent();
    ended.set(1, new EndedRun(CHILD, "FAILED", new ParentStep(RUN, 1)));
    assertThat(checkParent().wrongRuns()).isOne();

    ended.remove(1);
    assertThat(checkParent().sentences())
        .contains("Step 'child' of run %s has 0 child runs instead of 1.".formatted(RUN));
  }

  @Test
  void aTransactionThatWasCommittedTwiceIsDetected() {
    bookings.add(bookings.get(0));

    assertThat(check().wrongBookings()).isOne();
    assertThat(check().none()).isFalse();
  }

  @Test
  void aTransactionThatWasLostIsDetected() {
    bookings.clear();

    assertThat(check().wrongBookings()).isOne();
  }
}
