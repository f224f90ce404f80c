package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.lease.LeaseRequest;
import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.StepState;
import dev.holdfast.embedded.testing.SharedServer;
import dev.holdfast.embedded.testing.TestDatabase;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.Journals.EntryKey;
import dev.holdfast.engine.store.Journals.EntryKind;
import dev.holdfast.engine.store.Journals.JournalEntry;
import dev.holdfast.engine.store.LeaseStore.Ending;
import dev.holdfast.engine.store.LeaseStore.LeaseClaim;
import dev.holdfast.engine.store.LeaseStore.Renewal;
import dev.holdfast.engine.store.LeaseStore.Result;
import dev.holdfast.engine.store.NewRun;
import dev.holdfast.engine.store.Outcomes;
import dev.holdfast.engine.store.RunAdvance.Express;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.engine.store.StartHere;
import dev.holdfast.postgres.restore.NewEpoch;
import dev.holdfast.tck.contract.PlanDraft;
import dev.holdfast.tck.contract.RunContract;
import dev.holdfast.tck.contract.StoreFixture;
import dev.holdfast.tck.contract.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What is issued before a restore is not issued after it, wherever a job comes from. */
class RestoredDatabaseTest extends RunContract {
  private static final Duration TTL = Duration.ofMinutes(2);
  private static final JournalEntry ENTRY =
      new JournalEntry(new EntryKey("charge", 1), EntryKind.RUN, "\"receipt\"");

  private static PostgresFixture fixture;

  @BeforeAll
  static void open() {
    fixture = new PostgresFixture();
  }

  @AfterAll
  static void close() {
    fixture.close();
  }

  @Override
  protected StoreFixture newFixture() {
    return fixture.emptied();
  }

  @Override
  protected long firstToken() {
    return Long.parseLong(fixture.ask("select first_token from holdfast.token_epoch"));
  }

  private static NewEpoch.Started startNewEpoch() {
    RestoredDatabase database = RestoredDatabase.at(fixture.settings().build());
    assertThat(database.schemas()).containsExactly("holdfast");
    return database.startNewEpoch(database.schemas(), started -> {}).getFirst();
  }

  private static void assertFirstOf(NewEpoch.Started epoch, ClaimedJob job) {
    assertThat(job.token()).isEqualTo(epoch.firstToken() + 1);
  }

  private void retry(RunId id) {
    assertThat(
            runs.control().retry(id, (graph, letters) -> letters.replaceAll("[FCK]", ".")).done())
        .isTrue();
    settle();
  }

  @Test
  void everyEpochIsAboveAllTokensOfTheOneBefore() {
    enqueue(job());
    Worker worker = worker();
    long before = worker.claimOne().token();
    NewEpoch.Started first = startNewEpoch();
    // A lease of an installation that issues far more tokens than the clock expects.
    fixture.execute("select setval('holdfast.lease_token', %d)".formatted(first.firstToken() * 2));

    NewEpoch.Started second = startNewEpoch();

    assertThat(first.firstToken()).isGreaterThan(before);
    assertThat(second.firstToken()).isGreaterThan(first.firstToken() * 2);
    assertThat(second.firstToken() % (1 << NewEpoch.NUMBER_BITS)).isZero();
  }

  /** A backup that is restored a second time knows nothing about the first time. */
  @Test
  void anEpochDoesNotDependOnWhatTheBackupKnows() {
    fixture.execute("update holdfast.token_epoch set first_token = 0");
    fixture.execute("alter table holdfast.job drop constraint if exists job_token_epoch");
    fixture.execute("select setval('holdfast.lease_token', 1)");
    long seconds =
        Instant.now().getEpochSecond() - Instant.parse("2026-01-01T00:00:00Z").getEpochSecond();

    long first = startNewEpoch().firstToken() >> NewEpoch.NUMBER_BITS;

    assertThat(first).isBetween(seconds, seconds + 60);
  }

  @Test
  void aHolderOfTheOldTimelineChangesNothing() {
    enqueue(job());
    enqueue(job());
    Worker old = worker();
    ClaimedJob running = old.claimOne();
    ClaimedJob claimed = old.prefetchOne();
    LeaseClaim lease = acquired("old");

    NewEpoch.Started epoch = startNewEpoch();

    assertThat(epoch.nodes()).isEqualTo(1);
    assertThat(epoch.running()).isEqualTo(1);
    assertThat(epoch.claimed()).isEqualTo(1);
    assertThat(store.nodes().beat(old.incarnation(), 0)).isEmpty();
    assertThat(old.succeed(running)).isEqualTo(Outcomes.Result.LOST);
    assertThat(old.retryIn(running, Duration.ZERO)).isEqualTo(Outcomes.Result.LOST);
    assertThat(old.start(claimed.claim())).isEmpty();
    assertThat(old.giveBack(running.claim(), claimed.claim())).isEmpty();
    assertThat(store.journals().append(old.incarnation(), running.claim(), ENTRY)).isFalse();
    enqueue(job());
    assertThat(old.claim(PLENTY)).isEmpty();
    assertThat(store.leases().renew(List.of(Renewal.extend(lease, TTL)))).isEmpty();
    assertThat(store.leases().end(lease, new Ending.Done())).isFalse();
    assertThat(find(running.id()).fencingToken()).isEqualTo(epoch.firstToken());
    assertThat(find(claimed.id()).fencingToken()).isEqualTo(epoch.firstToken());
  }

  private LeaseClaim acquired(String holder) {
    Result result =
        store.leases().acquire(LeaseRequest.of("invoice:42", TTL), UUID.randomUUID(), holder);
    assertThat(result).isInstanceOf(Result.Granted.class);
    return new LeaseClaim("invoice:42", ((Result.Granted) result).token());
  }

  /** Its holder may still be running. */
  @Test
  void aLeaseStaysTakenForItsTimeAndIsThenGrantedUnderAGreaterToken() {
    acquired("old");
    NewEpoch.Started epoch = startNewEpoch();

    assertThat(store.leases().acquire(LeaseRequest.of("invoice:42", TTL), UUID.randomUUID(), "new"))
        .isInstanceOf(Result.Taken.class);
    passTime(TTL.plusSeconds(1));
    assertThat(acquired("new").token()).isGreaterThan(epoch.firstToken());
  }

  @Test
  void jobsThatWaitedAndNewJobsGetTokensOfTheNewEpoch() {
    enqueue(job());
    NewEpoch.Started epoch = startNewEpoch();
    enqueue(job());

    List<ClaimedJob> claimed = worker().claim(PLENTY);

    assertThat(claimed).hasSize(2).allSatisfy(job -> assertFirstOf(epoch, job));
  }

  @Test
  void jobsFromTheDeadLetterQueueGetTokensOfTheNewEpoch() {
    JobId one = enqueue(job());
    enqueue(job());
    failOne();
    failOne();
    NewEpoch.Started epoch = startNewEpoch();

    store.control().retry(one);
    Worker worker = worker();
    assertFirstOf(epoch, worker.claimOne());
    store.control().retryAll(JobFilter.all(), Instant.now().plusSeconds(60), PLENTY);
    assertFirstOf(epoch, worker.claimOne());
  }

  @Test
  void aFailedStepThatIsRetriedGetsATokenOfTheNewEpoch() {
    RunId id = start(chain(1));
    ClaimedJob failed = failOne();
    settle();
    NewEpoch.Started epoch = startNewEpoch();

    retry(id);

    ClaimedJob again = worker().claimOne();
    assertThat(again.id()).isEqualTo(failed.id());
    assertFirstOf(epoch, again);
  }

  @Test
  void aCancelledStepThatIsRetriedGetsATokenOfTheNewEpoch() {
    RunId id = start(chain(1));
    Worker worker = worker();
    ClaimedJob cancelled = claimAndJournal(worker);
    cancel(id);
    worker.finish(new Finish.Cancelled(cancelled.claim()));
    settle();
    NewEpoch.Started epoch = startNewEpoch();

    retry(id);

    ClaimedJob again = worker().claimOne();
    assertFirstOf(epoch, again);
    assertThat(store.journals().load(again.id())).containsExactly(ENTRY);
  }

  private ClaimedJob claimAndJournal(Worker worker) {
    ClaimedJob job = worker.claimOne();
    assertThat(store.journals().append(worker.incarnation(), job.claim(), ENTRY)).isTrue();
    return job;
  }

  @Test
  void elementsOfAMapThatAreRetriedGetTokensOfTheNewEpoch() {
    RunId id = start(chain(1).first(plan -> plan.map(0, 2, 0, 2)));
    Worker worker = worker();
    ClaimedJob failed = claimAndJournal(worker);
    ClaimedJob cancelled = claimAndJournal(worker);
    worker.failPermanently(failed);
    store.control().cancel(cancelled.id());
    worker.retryIn(cancelled, Duration.ZERO);
    settle();
    NewEpoch.Started epoch = startNewEpoch();

    retry(id);

    // One more than others, so that it reads the journal of its predecessor in any epoch.
    assertThat(worker().claim(PLENTY))
        .extracting(ClaimedJob::token)
        .containsExactlyInAnyOrder(epoch.firstToken() + 1, epoch.firstToken() + 2);
  }

  @Test
  void stepsThatStartWithoutAClaimGetTokensOfTheNewEpoch() {
    NewEpoch.Started epoch = startNewEpoch();
    NewRun run = chain(2).build();
    Worker worker = worker();
    JobId first = run.first().jobs().getFirst().job().id();

    ClaimedJob started =
        runs.intake()
            .start(run, null, new StartHere(worker.incarnation(), 7, Set.of(first)))
            .started()
            .getFirst();
    assertFirstOf(epoch, started);
    assertThat(find(first).fencingToken()).isEqualTo(started.token());

    RunPlan plan =
        new PlanDraft(run.id(), 2)
            .letter(0, StepState.SUCCEEDED)
            .event(RunEvent.Kind.STEP_SUCCEEDED, 0)
            .job(1)
            .build();
    JobId second = plan.jobs().getFirst().job().id();
    long seq = runs.queries().events(run.id(), 0, PLENTY).getLast().seq();
    ClaimedJob next =
        runs.advance()
            .express(
                worker.incarnation(),
                List.of(
                    new Express(
                        new Finish.Succeeded(started.claim(), "\"done\"", null),
                        run.id(),
                        seq,
                        plan)),
                new StartHere(worker.incarnation(), 8, Set.of(second)))
            .started()
            .getFirst();
    assertFirstOf(epoch, next);
    assertThat(worker.succeed(next)).isEqualTo(Outcomes.Result.WRITTEN);
  }

  @Test
  void stepsThatWaitForAClaimStartInTheNewEpoch() {
    NewEpoch.Started epoch = startNewEpoch();
    start(chain(1));
    RunId parent = startParentOf(chain(1), 1);

    assertThat(worker().claim(PLENTY)).hasSize(2).allSatisfy(job -> assertFirstOf(epoch, job));
    assertThat(runs.control().children(parent)).hasSize(1);
  }

  /** A statement that was forgotten fails, instead of issuing a token a second time. */
  @Test
  void aTokenOfAnOldEpochIsRefusedByTheTable() {
    startNewEpoch();
    JobId id = enqueue(job());

    assertThatThrownBy(() ->
            fixture.execute("update holdfast.job set token = 1 where id = '%s'".formatted(id)))
        .hasMessageContaining("job_token_epoch");
  }

  @Test
  void aBackupOfAnOlderVersionIsMigratedAndThatOfANewerOneRefused() {
    try (TestDatabase database = SharedServer.freshDatabase()) {
      PostgresSettings settings =
          PostgresSettings.builder(database.jdbcUrl())
              .user(database.user())
              .password(database.password())
              .build();
      PostgresStore.connect(settings).close();
      execute(
          database,
          "drop table holdfast.token_epoch; delete from holdfast.schema_version where version ="
              + " '32'");
      RestoredDatabase restored = RestoredDatabase.at(settings);
      assertThat(restored.startNewEpoch(restored.schemas(), started -> {})).hasSize(1);
      PostgresStore.connect(settings).close();

      execute(
          database,
          "insert into holdfast.schema_version select installed_rank + 1000, '900', description,"
              + " type, script, checksum, installed_by, installed_on, execution_time, success"
              + " from holdfast.schema_version limit 1");
      assertThatThrownBy(() -> restored.startNewEpoch(restored.schemas(), started -> {}))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("version 900")
          .hasMessageContaining("Nothing was written");
    }
  }

  private static void execute(TestDatabase database, String sql) {
    try (var connection = database.connect();
        var statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (java.sql.SQLException failure) {
      throw new IllegalStateException(failure);
    }
  }
}
