package dev.holdfast.postgres.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.DuplicateJobException;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.job.WaitReason;
import dev.holdfast.api.workflow.MaxActive.OnFull;
import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunFilter;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunState;
import dev.holdfast.api.workflow.Started;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Definitions.Definition;
import dev.holdfast.engine.store.NewRun;
import dev.holdfast.engine.store.RunAdvance;
import dev.holdfast.engine.store.RunData;
import dev.holdfast.engine.store.RunFacts;
import dev.holdfast.engine.store.RunIntake.Admission;
import dev.holdfast.engine.store.RunIntake.NewSignal;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.engine.store.RunRow;
import dev.holdfast.engine.store.RunStore;
import dev.holdfast.engine.store.StepRef;
import dev.holdfast.engine.store.Upkeep.Retention;
import dev.holdfast.postgres.Drafts;
import dev.holdfast.postgres.PostgresFixture;
import dev.holdfast.tck.contract.Worker;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Runs on PostgreSQL, with a planner that runs a fixed chain. */
class PgRunStoreTest {
  private static PostgresFixture fixture;

  private final ChainPlanner planner = new ChainPlanner();
  private RunStore runs;
  private int definition;

  @BeforeAll
  static void open() {
    fixture = new PostgresFixture();
  }

  @AfterAll
  static void close() {
    fixture.close();
  }

  @BeforeEach
  void empty() {
    fixture.emptied();
    runs = fixture.store().runs();
    definition =
        runs.definitions()
            .register(List.of(new Definition("hash", "chain", 1, "{}")))
            .getFirst()
            .id();
  }

  @Test
  void registeringAGraphAgainFindsIt() {
    Definition other = new Definition("other", "chain", 1, "{}");

    assertThat(
            runs.definitions().register(List.of(other, new Definition("hash", "chain", 1, "{}"))))
        .extracting(stored -> stored.hash())
        .containsExactly("other", "hash");
    assertThat(runs.definitions().find(Set.of("hash", "unknown")))
        .extracting(stored -> stored.id())
        .containsExactly(definition);
    assertThat(runs.definitions().versions("chain")).hasSize(2);
  }

  @Test
  void aStartCreatesTheJobOfTheFirstStep() {
    RunId id = start(2);

    ClaimedJob job = worker().claimOne();

    assertThat(job.step()).isEqualTo(new StepRef(id, 0, StepRef.NO_ITEM));
    assertThat(row(id).state()).isEqualTo(RunState.RUNNING);
    assertThat(fixture.store().queries().find(List.of(job.id())).get(job.id()).run())
        .isEqualTo(id.value());
  }

  @Test
  void finishingAStepLeavesItsResultAndAMark() {
    RunId id = start(2);
    Worker worker = worker();
    ClaimedJob job = worker.claimOne();

    worker.succeed(job);

    assertThat(runs.advance().marked(10)).containsExactly(id);
    RunRow.Details details = runs.queries().details(id);
    assertThat(details.marked()).isTrue();
    assertThat(details.results())
        .singleElement()
        .satisfies(result -> {
          assertThat(result.output()).isEqualTo("\"done\"");
          assertThat(result.job()).isEqualTo(job.id());
        });
    assertThat(details.jobs().get(0).result()).isEqualTo("\"done\"");
  }

  @Test
  void anAdvanceCreatesTheNextJobAndTakesTheMarks() {
    RunId id = start(2);
    Worker worker = worker();
    worker.succeed(worker.claimOne());

    RunAdvance.Report report = advance(id);

    assertThat(report.advanced()).isEqualTo(1);
    assertThat(report.ready()).containsEntry(Drafts.QUEUE, 1);
    assertThat(runs.advance().marked(10)).isEmpty();
    assertThat(advance(id).advanced()).isZero();
    ClaimedJob second = worker.claimOne();
    assertThat(second.step()).isEqualTo(new StepRef(id, 1, StepRef.NO_ITEM));
    assertThat(second.payload()).isEqualTo("\"done\"");
  }

  @Test
  void aRunThatEndsMovesToHistory() {
    RunId id = start(1);
    Worker worker = worker();
    worker.succeed(worker.claimOne());

    assertThat(advance(id).ended()).containsEntry(id, RunState.SUCCEEDED);

    RunRow row = row(id);
    assertThat(row.state()).isEqualTo(RunState.SUCCEEDED);
    assertThat(row.steps()).isEqualTo("S");
    assertThat(row.result()).isEqualTo("\"done\"");
    assertThat(row.endedAt()).isNotNull();
    assertThat(row.bytes()).isEqualTo("\"done\"".length());
    assertThat(runs.queries().events(id, 0, 100))
        .extracting(event -> event.event().kind())
        .containsExactly(
            RunEvent.Kind.CREATED,
            RunEvent.Kind.STEP_STARTED,
            RunEvent.Kind.STEP_SUCCEEDED,
            RunEvent.Kind.ENDED);
    assertThat(runs.queries().events(id, 0, 100))
        .extracting(event -> event.seq())
        .containsExactly(1L, 2L, 3L, 4L);
    assertThat(runs.queries().count(RunFilter.all()).byState())
        .containsEntry(RunState.SUCCEEDED, 1L);
    assertThat(runs.queries().list(RunFilter.all(), null, 10)).containsExactly(row);
    assertThat(fixture.ask("select count(*) from holdfast.run_mark")).isEqualTo("0");
  }

  @Test
  void aChildRunThatEndsLeavesResultAndMarkForItsParent() {
    RunId parent = start(2);
    RunId child = ChainPlanner.newId();
    NewRun below =
        ChainPlanner.run(
            child, definition, 1, null, null, new StepRef(parent, 0, StepRef.NO_ITEM), false);
    runs.intake().start(below, null);
    Worker worker = worker();
    for (ClaimedJob job : worker.claim(10)) {
      if (job.step().run().equals(child)) {
        worker.succeed(job);
      }
    }

    RunAdvance.Report report = advance(child);

    assertThat(report.next()).containsExactly(parent);
    assertThat(runs.advance().marked(10)).containsExactly(parent);
    assertThat(runs.queries().details(parent).results())
        .singleElement()
        .satisfies(result -> assertThat(result.output()).isEqualTo("\"summary\""));
    assertThat(runs.control().children(parent)).containsExactly(child);
  }

  @Test
  void aFailedStepFailsWithTheCodeOfItsLastFailure() {
    RunId id = start(1);
    Worker worker = worker();
    ClaimedJob job = worker.claimOne();
    worker.failPermanently(job);

    assertThat(advance(id).ended()).containsEntry(id, RunState.FAILED);
    assertThat(runs.queries().details(id).results().getFirst().failure())
        .isEqualTo(new RunData.Failure("SMTP_DOWN", "it broke permanently"));
    assertThatThrownBy(() -> fixture.store().control().retry(job.id()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("retry run " + id);
    assertThatThrownBy(() -> fixture.store().control().requeue(job.id()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(fixture.store().control().retryAll(JobFilter.all(), null, 10).count()).isZero();
  }

  @Test
  void aRetryRunsTheFailedStepAgain() {
    RunId id = start(2);
    Worker worker = worker();
    worker.succeed(worker.claimOne());
    advance(id);
    worker.failPermanently(worker.claimOne());
    advance(id);

    assertThat(runs.control().retry(id, (graph, letters) -> letters.replace('F', '.')).done())
        .isTrue();

    assertThat(row(id).steps()).isEqualTo("S.");
    assertThat(fixture.store().control().purge(JobFilter.all(), null, 10).count()).isZero();
    advance(id);
    worker.succeed(worker.claimOne());
    assertThat(advance(id).ended()).containsEntry(id, RunState.SUCCEEDED);
  }

  @Test
  void elementsOfAMapThatSucceededKeepTheirResultWhenTheRunIsRetried() {
    RunId id = ChainPlanner.newId();
    NewRun plain = ChainPlanner.run(id, definition, 1);
    RunPlan first =
        ChainPlanner.plan(
            RunState.RUNNING,
            "A",
            null,
            List.of(ChainPlanner.job(id, 0, 0, "0"), ChainPlanner.job(id, 0, 1, "1")),
            List.of());
    runs.intake().start(withFirst(plain, first), null);
    Worker worker = worker();
    worker.succeed(worker.claimOne());
    worker.failPermanently(worker.claimOne());
    advance(id, end(RunState.FAILED, "F"));
    runs.control().retry(id, (graph, letters) -> ".");

    RunAdvance.Report report = advance(id, first);

    assertThat(report.next()).containsExactly(id);
    assertThat(worker.claim(10)).extracting(job -> job.step().item()).containsExactly(1);
  }

  @Test
  void aRolledBackAdvanceLeavesItsMarks() {
    RunId id = start(2);
    Worker worker = worker();
    worker.succeed(worker.claimOne());
    ChainPlanner broken =
        new ChainPlanner() {
          @Override
          public RunPlan plan(RunFacts facts, RunData data) {
            throw new IllegalStateException("broken");
          }
        };

    assertThatThrownBy(() -> runs.advance().advance(List.of(id), broken))
        .hasMessageContaining("broken");

    assertThat(runs.advance().marked(10)).containsExactly(id);
    assertThat(advance(id).advanced()).isEqualTo(1);
  }

  @Test
  void ofTwoConcurrentAdvancesOneSkipsTheRun() throws Exception {
    RunId id = start(2);
    Worker worker = worker();
    worker.succeed(worker.claimOne());
    CountDownLatch planning = new CountDownLatch(1);
    CountDownLatch skipped = new CountDownLatch(1);
    ChainPlanner slow =
        new ChainPlanner() {
          @Override
          public RunPlan plan(RunFacts facts, RunData data) {
            planning.countDown();
            await(skipped);
            return super.plan(facts, data);
          }
        };
    try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
      Future<RunAdvance.Report> first =
          threads.submit(() -> runs.advance().advance(List.of(id), slow));
      await(planning);

      assertThat(advance(id).advanced()).isZero();

      skipped.countDown();
      assertThat(first.get().advanced()).isEqualTo(1);
    }
    assertThat(worker.claim(10)).hasSize(1);
  }

  @Test
  void aRepeatedStartFindsItsRunEvenAfterItEnded() {
    RunId id = start(1);
    NewRun again = ChainPlanner.run(id, definition, 1, null, null, null, true);
    assertThat(runs.intake().start(again, null).outcome()).isEqualTo(Started.Outcome.EXISTING);
    Worker worker = worker();
    worker.succeed(worker.claimOne());
    advance(id);

    assertThat(runs.intake().start(again, null)).isEqualTo(existing(id));
    assertThat(worker.claim(10)).isEmpty();
  }

  @Test
  void aFirstStartThatArrivesAfterItsRepeatCreatesNothing() {
    RunId id = ChainPlanner.newId();
    runs.intake().start(ChainPlanner.run(id, definition, 1, null, null, null, true), null);
    Worker worker = worker();
    worker.succeed(worker.claimOne());
    advance(id);

    assertThat(runs.intake().start(ChainPlanner.run(id, definition, 1), null))
        .isEqualTo(existing(id));
    assertThat(worker.claim(10)).isEmpty();
  }

  @Test
  void uniqueKeysPreventASecondRun() {
    for (UniqueKey key :
        List.of(UniqueKey.whileActive("k"), UniqueKey.within("w", Duration.ofHours(1)))) {
      RunId first = ChainPlanner.newId();
      runs.intake().start(keyed(first, key), null);

      assertThat(runs.intake().start(keyed(ChainPlanner.newId(), key), null))
          .isEqualTo(existing(first));
      assertThatThrownBy(() ->
              runs.intake()
                  .start(
                      keyed(ChainPlanner.newId(), key.onConflict(UniqueKey.OnConflict.FAIL)), null))
          .isInstanceOf(DuplicateJobException.class);
    }
    assertThat(runs.queries().findActive("chain", "k")).isPresent();
    assertThat(fixture.ask("select count(*) from holdfast.job")).isEqualTo("2");
  }

  @Test
  void aStartInAnExternalTransactionIsPartOfIt() throws SQLException {
    RunId rolledBack = ChainPlanner.newId();
    RunId committed = ChainPlanner.newId();
    try (Connection connection = fixture.database().connect()) {
      connection.setAutoCommit(false);
      runs.intakeIn(connection, true).start(ChainPlanner.run(rolledBack, definition, 1), null);
      connection.rollback();
      runs.intakeIn(connection, true).start(ChainPlanner.run(committed, definition, 1), null);
      connection.commit();
    }

    assertThat(runs.queries().find(rolledBack)).isEmpty();
    assertThat(worker().claimOne().step().run()).isEqualTo(committed);
  }

  @Test
  void aFullGateQueuesAndLetsTheOldestThrough() {
    RunId first = gated(OnFull.QUEUE).id();
    Admission second = gated(OnFull.QUEUE);
    Admission third = gated(OnFull.QUEUE);
    Worker worker = worker();

    assertThat(second.queued()).isTrue();
    assertThat(gated(OnFull.SKIP)).isEqualTo(new Admission(first, Started.Outcome.SKIPPED, false));
    worker.succeed(worker.claimOne());
    assertThat(advance(first).next()).containsExactly(second.id());
    advance(second.id());
    assertThat(worker.claimOne().step().run()).isEqualTo(second.id());
    assertThat(row(third.id()).state()).isEqualTo(RunState.QUEUED);
  }

  @Test
  void aRunThatIsLetThroughByItsOwnStartIsPlannedByAnAdvance() {
    NewRun.Gate gate = new NewRun.Gate("customer", 2, OnFull.QUEUE);
    RunId first = gated(gate).id();
    RunId second = gated(gate).id();
    RunId queued = gated(gate).id();
    // They have ended, and their node dies before it opens the gate.
    fixture.execute("delete from holdfast.run where id in ('%s', '%s')".formatted(first, second));
    fixture.execute("delete from holdfast.job");

    Admission admission = gated(gate);

    assertThat(admission).isEqualTo(new Admission(admission.id(), Started.Outcome.CREATED, true));
    assertThat(row(admission.id()).state()).isEqualTo(RunState.RUNNING);
    assertThat(runs.advance().marked(10)).containsExactlyInAnyOrder(queued, admission.id());
    assertThat(fixture.ask("select count(*) from holdfast.job")).isEqualTo("0");
  }

  @Test
  void aSignalForARunThatEndsMeanwhileStartsAnotherRun() throws Exception {
    UniqueKey key = UniqueKey.whileActive("k");
    NewSignal signal = new NewSignal("go", "1", "true");
    RunId ending = ChainPlanner.newId();
    runs.intake().start(keyed(ending, key), null);
    RunId next = ChainPlanner.newId();
    try (Connection connection = fixture.database().connect();
        ExecutorService threads = Executors.newSingleThreadExecutor()) {
      connection.setAutoCommit(false);
      try (Statement end = connection.createStatement()) {
        end.execute("delete from holdfast.run where id = '%s'".formatted(ending));
      }
      Future<Admission> admission =
          threads.submit(() -> runs.intake().start(keyed(next, key), signal));
      Awaitility.await().until(() -> waitsForALock());
      connection.commit();

      assertThat(admission.get()).isEqualTo(new Admission(next, Started.Outcome.CREATED, false));
    }
    assertThat(fixture.ask("select owner from holdfast.signal")).isEqualTo(next.toString());
  }

  private static boolean waitsForALock() {
    return fixture
        .ask(
            """
            select count(*) from pg_stat_activity
            where wait_event_type = 'Lock' and datname = current_database()
              and query like '%for no key update%'
            """)
        .equals("1");
  }

  @Test
  void aReplacingRunStartsWhenTheOthersHaveEnded() {
    RunId first = gated(OnFull.QUEUE).id();
    RunId second = gated(OnFull.QUEUE).id();

    RunId third = gated(OnFull.REPLACE).id();

    assertThat(row(first).state()).isEqualTo(RunState.CANCELLING);
    assertThat(row(second).state()).isEqualTo(RunState.CANCELLED);
    assertThat(advance(first).next()).containsExactly(third);
    assertThat(row(third).state()).isEqualTo(RunState.RUNNING);
  }

  @Test
  void aPausedRunHasNothingStartableUntilItIsResumed() {
    RunId id = start(2);
    Worker worker = worker();
    ClaimedJob job = worker.prefetchOne();

    assertThat(runs.control().pause(id, "lunch").done()).isTrue();

    assertThat(worker.start(job.claim())).isEmpty();
    assertThat(worker.claim(10)).isEmpty();
    assertThat(fixture.store().queries().whyWaiting(job.id()))
        .contains(new WaitReason.RunPaused(id.value()));
    assertThat(runs.control().pause(id, "again").done()).isFalse();
    assertThat(runs.control().resume(id).ready()).containsEntry(Drafts.QUEUE, 1);
    assertThat(worker.claim(10)).hasSize(1);
  }

  @Test
  void aStepThatIsRetriedInAPausedRunIsPutOnHold() {
    RunId id = start(1);
    Worker worker = worker();
    ClaimedJob job = worker.claimOne();
    runs.control().pause(id, "lunch");

    worker.retryIn(job, Duration.ZERO);

    assertThat(state(job)).isEqualTo(JobState.ON_HOLD);
    runs.control().resume(id);
    ClaimedJob again = worker.claimOne();
    runs.control().pause(id, "again");
    assertThat(worker.giveBack(again.claim())).hasSize(1);
    assertThat(state(job)).isEqualTo(JobState.ON_HOLD);
  }

  @Test
  void cancellingARunEndsWhatHasNotStarted() {
    RunId id = start(2);
    Worker worker = worker();

    assertThat(runs.control().cancel(id, "enough").done()).isTrue();

    assertThat(worker.claim(10)).isEmpty();
    assertThat(advance(id).ended()).containsEntry(id, RunState.CANCELLED);
    assertThat(row(id).reason()).isEqualTo("enough");
  }

  @Test
  void cancellingARunRequestsTheCancellationOfWhatRuns() {
    RunId id = start(2);
    Worker worker = worker();
    ClaimedJob job = worker.claimOne();

    assertThat(runs.control().cancel(id, "enough").stopping())
        .containsExactly(worker.incarnation());

    worker.retryIn(job, Duration.ZERO);
    assertThat(advance(id).ended()).containsEntry(id, RunState.CANCELLED);
  }

  @Test
  void aSignalIsStoredOnceAndMarksTheRun() {
    RunId id = start(1);
    NewSignal signal = new NewSignal("go", "1", "true");

    assertThat(runs.control().signal(id, signal).look()).containsExactly(id);
    assertThat(runs.control().signal(id, signal).done()).isFalse();
    assertThat(runs.control().signal(ChainPlanner.newId(), signal).before()).isEmpty();
    assertThat(runs.advance().marked(10)).containsExactly(id);
  }

  @Test
  void aLostJobOfAStepIsRepaired() {
    RunId id = start(1);
    assertThat(runs.repair().repair(null, 10).repairs()).isEmpty();
    fixture.execute("delete from holdfast.job");

    assertThat(runs.repair().repair(null, 10).look()).containsExactly(id);

    assertThat(advance(id).ended()).containsEntry(id, RunState.FAILED);
    assertThat(runs.queries().details(id).results().getFirst().failure().code())
        .isEqualTo("RESULT_NOT_AVAILABLE");
  }

  @Test
  void aLargePayloadOfManyJobsIsStoredOnceAndDeletedWithItsRun() {
    int jobs = 200;
    String payload = "\"" + "x".repeat(100_000) + "\"";
    RunId id = ChainPlanner.newId();
    List<RunPlan.Job> elements =
        IntStream.range(0, jobs).mapToObj(i -> ChainPlanner.job(id, 0, i, payload)).toList();
    runs.intake()
        .start(
            withFirst(
                ChainPlanner.run(id, definition, 1),
                ChainPlanner.plan(RunState.RUNNING, "A", null, elements, List.of())),
            null);
    Worker worker = worker();
    List<ClaimedJob> claimed = worker.claim(jobs);
    assertThat(claimed).hasSize(jobs).allMatch(job -> payload.equals(job.payload()));
    claimed.subList(0, jobs / 2).forEach(worker::succeed);
    claimed.subList(jobs / 2, jobs).forEach(worker::failPermanently);

    assertThat(fixture.ask("select sum(octet_length(body)) from holdfast.run_payload"))
        .isEqualTo("100002");
    assertThat(
            fixture.ask(
                """
                select sum(coalesce(octet_length(payload), 0)) from (
                  select payload from holdfast.job_history
                  union all select payload from holdfast.dead_letter) j
                """))
        .isEqualTo("0");
    assertThat(row(id).bytes()).isEqualTo(100_002);

    advance(id, end(RunState.FAILED, "F"));
    fixture.passTime(Duration.ofDays(10));
    fixture.store().upkeep().tidy(new Retention(Duration.ofDays(7), Duration.ofDays(7)));
    assertThat(fixture.ask("select count(*) from holdfast.run_payload")).isEqualTo("0");
  }

  @Test
  void endedRunsAreDeletedAfterTheirRetention() {
    RunId id = start(1);
    Worker worker = worker();
    worker.succeed(worker.claimOne());
    advance(id);
    fixture.passTime(Duration.ofDays(10));

    fixture.store().upkeep().tidy(new Retention(Duration.ofDays(7), Duration.ofDays(7)));

    assertThat(runs.queries().find(id)).isEmpty();
    assertThat(fixture.ask("select count(*) from holdfast.run_result")).isEqualTo("0");
  }

  private RunId start(int length) {
    RunId id = ChainPlanner.newId();
    Admission admission = runs.intake().start(ChainPlanner.run(id, definition, length), null);
    assertThat(admission).isEqualTo(new Admission(id, Started.Outcome.CREATED, false));
    return id;
  }

  private NewRun keyed(RunId id, UniqueKey key) {
    return ChainPlanner.run(id, definition, 1, key, null, null, false);
  }

  private Admission gated(OnFull onFull) {
    return gated(new NewRun.Gate("customer", 1, onFull));
  }

  private Admission gated(NewRun.Gate gate) {
    return runs.intake()
        .start(
            ChainPlanner.run(ChainPlanner.newId(), definition, 1, null, gate, null, false), null);
  }

  private static NewRun withFirst(NewRun run, RunPlan first) {
    return new NewRun(run.id(), run.mayExist(), run.content(), first);
  }

  private static RunPlan end(RunState state, String steps) {
    return ChainPlanner.plan(state, steps, "it broke", List.of(), List.of());
  }

  private static Admission existing(RunId id) {
    return new Admission(id, Started.Outcome.EXISTING, false);
  }

  private RunAdvance.Report advance(RunId id) {
    return runs.advance().advance(List.of(id), planner);
  }

  private RunAdvance.Report advance(RunId id, RunPlan plan) {
    return runs.advance()
        .advance(
            List.of(id),
            new ChainPlanner() {
              @Override
              public RunPlan plan(RunFacts facts, RunData data) {
                return plan;
              }
            });
  }

  private RunRow row(RunId id) {
    return runs.queries().find(id).orElseThrow();
  }

  private static JobState state(ClaimedJob job) {
    return fixture.store().queries().find(List.of(job.id())).get(job.id()).state();
  }

  private static Worker worker() {
    return Worker.join(fixture.store(), "node-1", Drafts.QUEUE, Drafts.TASK);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException stopped) {
      throw new IllegalStateException(stopped);
    }
  }
}
