package dev.holdfast.tck.contract;

import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

import dev.holdfast.api.DuplicateJobException;
import dev.holdfast.api.StoreException;
import dev.holdfast.api.internal.Times;
import dev.holdfast.api.job.Enqueued.Outcome;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.RetryResult;
import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.job.UniqueKey.OnConflict;
import dev.holdfast.engine.store.Admission;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.engine.store.NewJob.IdUse;
import dev.holdfast.engine.store.Recovery;
import dev.holdfast.engine.store.Suspicion;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.MethodSource;

/** Unique keys, which permit one job while it is active or within a window. */
public abstract class UniqueKeyContract extends Contract {
  private static final Duration WINDOW = Duration.ofHours(1);

  private static UniqueKey active() {
    return UniqueKey.whileActive("order 17");
  }

  private static UniqueKey windowed() {
    return UniqueKey.within("order 17", WINDOW);
  }

  static Stream<UniqueKey> bothScopes() {
    return Stream.of(active(), windowed());
  }

  @ParameterizedTest
  @MethodSource("bothScopes")
  void aTakenKeyReturnsTheExistingJob(UniqueKey key) {
    JobId holder = enqueue(job().unique(key).payload("first"));

    assertThat(admit(job().unique(key).payload("second")))
        .isEqualTo(new Admission(holder, Outcome.EXISTING));
    assertThat(find(holder).payload()).isEqualTo("first");
    assertThat(countAll(JobFilter.all())).isEqualTo(1);
  }

  @ParameterizedTest
  @MethodSource("bothScopes")
  void onConflictFailThrowsWithTheIdOfTheExistingJob(UniqueKey key) {
    JobId holder = enqueue(job().unique(key));

    assertThatExceptionOfType(DuplicateJobException.class)
        .isThrownBy(() -> admit(job().unique(key.onConflict(OnConflict.FAIL))))
        .returns(holder, DuplicateJobException::existing);
    assertThat(countAll(JobFilter.all())).isEqualTo(1);
  }

  @ParameterizedTest
  @MethodSource("bothScopes")
  void onConflictReplaceGivesTheExistingJobThePayloadAndOptions(UniqueKey key) {
    JobId holder = enqueue(job().unique(key).payload("first").tags("old"));

    Admission admission =
        admit(
            job()
                .unique(key.onConflict(OnConflict.REPLACE))
                .payload("second")
                .queue("bulk")
                .priority(9)
                .tags("new")
                .policy("{\"timeout\":\"PT1M\"}")
                .startWithin(Duration.ofMinutes(5)));

    assertThat(admission).isEqualTo(new Admission(holder, Outcome.REPLACED));
    Job job = find(holder);
    assertThat(job.state()).isEqualTo(JobState.READY);
    assertThat(job.payload()).isEqualTo("second");
    assertThat(job.queue()).isEqualTo("bulk");
    assertThat(job.priority()).isEqualTo(9);
    assertThat(job.tags()).containsExactly("new");
    assertThat(job.startBy()).isEqualTo(job.runAt().plus(Duration.ofMinutes(5)));
    assertThat(countAll(JobFilter.all())).isEqualTo(1);
    assertThat(Worker.join(store, "node-1", "bulk", TASK).claimOne().policy())
        .isEqualTo("{\"timeout\":\"PT1M\"}");
  }

  @Test
  void aReplacementMayPostponeItsJob() {
    JobId holder = enqueue(job().unique(active()));

    admit(job().unique(active().onConflict(OnConflict.REPLACE)).dueIn(Duration.ofHours(2)));

    assertThat(stateOf(holder)).isEqualTo(JobState.SCHEDULED);
    assertThat(worker().claim(1)).isEmpty();
  }

  @Test
  void aReplacementMayBringItsJobForward() {
    JobId holder = enqueue(job().unique(active()).dueIn(Duration.ofHours(2)));

    admit(job().unique(active().onConflict(OnConflict.REPLACE)));

    Job job = find(holder);
    assertThat(job.state()).isEqualTo(JobState.READY);
    assertThat(job.runAt()).isCloseTo(job.createdAt(), within(30, SECONDS));
    assertThat(worker().claimOne().id()).isEqualTo(holder);
  }

  @Test
  void aReplacedJobKeepsItsToken() {
    Worker worker = worker();
    enqueue(job().unique(active()));
    worker.giveBack(worker.claimOne().claim());

    admit(job().unique(active().onConflict(OnConflict.REPLACE)));

    assertThat(worker.claimOne().token()).isEqualTo(firstToken() + 2);
  }

  @ParameterizedTest
  @EnumSource(names = {"CLAIMED", "RUNNING"})
  void aClaimedJobIsNotReplaced(JobState state) {
    assertNotReplaced(bringTo(job().unique(active()).payload("first"), state));
  }

  @Test
  void aJobThatWaitsForItsRetryIsNotReplaced() {
    Worker worker = worker();
    JobId holder = enqueue(job().unique(active()).payload("first"));
    worker.retryIn(worker.claimOne(), Duration.ofHours(1));

    assertNotReplaced(holder);
  }

  @Test
  void aJobWithARecordedCrashIsNotReplaced() {
    Worker worker = worker();
    JobId holder = enqueue(job().unique(active()).payload("first"));
    ClaimedJob lost = worker.claimOne();
    worker.leave();
    assertThat(
            store
                .recovery()
                .recover(
                    Recovery.Holder.dead(worker.incarnation()),
                    List.of(
                        new Recovery.RecoveryAction.AfterCrash(
                            lost.claim(),
                            Duration.ZERO,
                            Suspicion.NONE,
                            worker.failure(lost, "the node died")))))
        .containsExactly(Recovery.Result.DONE);

    assertNotReplaced(holder);
  }

  @Test
  void aRetriedDeadLetteredJobIsNotReplaced() {
    JobId holder = bringTo(job().unique(active()).payload("first"), JobState.FAILED);
    assertThat(store.control().retry(holder)).isEqualTo(RetryResult.READY);

    assertNotReplaced(holder);
  }

  private void assertNotReplaced(JobId holder) {
    Job before = find(holder);

    assertThat(admit(job().unique(active().onConflict(OnConflict.REPLACE)).payload("second")))
        .isEqualTo(new Admission(holder, Outcome.EXISTING));
    assertThat(find(holder)).isEqualTo(before);
  }

  @Test
  void aPostponedJobIsReplaced() {
    Worker worker = worker();
    JobId holder = enqueue(job().unique(active()).payload("first"));
    worker.later(worker.claimOne(), Duration.ofHours(1));

    assertThat(admit(job().unique(active().onConflict(OnConflict.REPLACE)).payload("second")))
        .isEqualTo(new Admission(holder, Outcome.REPLACED));
    assertThat(find(holder).payload()).isEqualTo("second");
  }

  @ParameterizedTest
  @EnumSource(names = {"SCHEDULED", "READY", "CLAIMED", "RUNNING"})
  void aKeyWhileActiveIsTakenAsLongAsItsJobIsLive(JobState state) {
    JobId holder = bringTo(job().unique(active()), state);

    assertThat(admit(job().unique(active()))).isEqualTo(new Admission(holder, Outcome.EXISTING));
  }

  @Test
  void aKeyWhileActiveIsTakenWhileItsJobWaitsForARetry() {
    Worker worker = worker();
    JobId holder = enqueue(job().unique(active()));
    worker.retryIn(worker.claimOne(), Duration.ofHours(1));

    assertThat(admit(job().unique(active()))).isEqualTo(new Admission(holder, Outcome.EXISTING));
  }

  @ParameterizedTest
  @EnumSource(
      names = {"SCHEDULED", "READY", "CLAIMED", "RUNNING", "WAITING", "ON_HOLD"},
      mode = Mode.EXCLUDE)
  void aKeyWhileActiveIsFreeWhenItsJobHasEnded(JobState state) {
    bringTo(job().unique(active()), state);

    assertThat(admit(job().unique(active().onConflict(OnConflict.FAIL))).outcome())
        .isEqualTo(Outcome.CREATED);
  }

  @ParameterizedTest
  @EnumSource(
      names = {"WAITING", "ON_HOLD"},
      mode = Mode.EXCLUDE)
  void aKeyWithinAWindowIsTakenRegardlessOfTheStateOfItsJob(JobState state) {
    JobId holder = bringTo(job().unique(windowed()), state);

    assertThat(admit(job().unique(windowed()))).isEqualTo(new Admission(holder, Outcome.EXISTING));
    assertThatExceptionOfType(DuplicateJobException.class)
        .isThrownBy(() -> admit(job().unique(windowed().onConflict(OnConflict.FAIL))))
        .returns(holder, DuplicateJobException::existing);
  }

  @Test
  void anEndedJobIsNotReplaced() {
    JobId holder = bringTo(job().unique(windowed()).payload("first"), JobState.SUCCEEDED);
    Job before = find(holder);

    assertThat(admit(job().unique(windowed().onConflict(OnConflict.REPLACE)).payload("second")))
        .isEqualTo(new Admission(holder, Outcome.EXISTING));
    assertThat(find(holder)).isEqualTo(before);
  }

  @ParameterizedTest
  @EnumSource(names = {"READY", "RUNNING", "SUCCEEDED"})
  void aKeyWithinAWindowIsFreeAfterIt(JobState state) {
    bringTo(job().unique(windowed()), state);
    passTime(WINDOW.plusSeconds(1));

    JobDraft next = job().unique(windowed().onConflict(OnConflict.FAIL));
    JobId holder = enqueue(next);

    assertThat(admit(job().unique(windowed()))).isEqualTo(new Admission(holder, Outcome.EXISTING));
  }

  @Test
  void theWindowOfAKeyMayBeUnlimited() {
    UniqueKey key = UniqueKey.within("order 17", Times.LONGEST);
    JobId holder = bringTo(job().unique(key), JobState.SUCCEEDED);
    passTime(Duration.ofDays(400));

    assertThat(admit(job().unique(key))).isEqualTo(new Admission(holder, Outcome.EXISTING));
  }

  @Test
  void aKeyWithinAWindowIsStillTakenJustBeforeItsEnd() {
    JobId holder = enqueue(job().unique(windowed()));
    passTime(WINDOW.minusMinutes(1));

    assertThat(admit(job().unique(windowed()))).isEqualTo(new Admission(holder, Outcome.EXISTING));
  }

  @ParameterizedTest
  @MethodSource("bothScopes")
  void keysAreScopedToTheirTask(UniqueKey key) {
    enqueue(job().unique(key).task("mail::send"));

    assertThat(admit(job().unique(key).task("mail::fetch")).outcome()).isEqualTo(Outcome.CREATED);
  }

  @ParameterizedTest
  @MethodSource("bothScopes")
  void keysAreNotScopedToTheirQueue(UniqueKey key) {
    JobId holder = enqueue(job().unique(key).queue("mail"));

    assertThat(admit(job().unique(key).queue("bulk")))
        .isEqualTo(new Admission(holder, Outcome.EXISTING));
  }

  @ParameterizedTest
  @MethodSource("bothScopes")
  void oneConflictFailsItsWholeBatch(UniqueKey key) {
    JobId holder = enqueue(job().unique(key).payload("first"));
    List<NewJob> batch =
        List.of(
            job().build(),
            job().unique(key.onConflict(OnConflict.REPLACE)).payload("second").build(),
            job().unique(key.onConflict(OnConflict.FAIL)).build(),
            job().build());

    assertThatExceptionOfType(DuplicateJobException.class)
        .isThrownBy(() -> store.intake().enqueue(batch));
    assertThat(countAll(JobFilter.all())).isEqualTo(1);
    assertThat(find(holder).payload()).isEqualTo("first");
  }

  @ParameterizedTest
  @MethodSource("bothScopes")
  void aKeyTwiceInOneCallCreatesOneJob(UniqueKey key) {
    NewJob first = job().unique(key).build();
    NewJob second = job().unique(key).build();

    assertThat(store.intake().enqueue(List.of(first, second)))
        .containsExactly(
            new Admission(first.id(), Outcome.CREATED),
            new Admission(first.id(), Outcome.EXISTING));
    assertThat(countAll(JobFilter.all())).isEqualTo(1);
  }

  @ParameterizedTest
  @MethodSource("bothScopes")
  void aKeyTwiceInOneCallWithOnConflictFailWritesNothing(UniqueKey key) {
    NewJob first = job().unique(key).build();
    NewJob second = job().unique(key.onConflict(OnConflict.FAIL)).build();

    assertThatExceptionOfType(DuplicateJobException.class)
        .isThrownBy(() -> store.intake().enqueue(List.of(first, second)))
        .returns(first.id(), DuplicateJobException::existing);
    assertThat(countAll(JobFilter.all())).isZero();
    assertThat(admit(job().unique(key)).outcome()).isEqualTo(Outcome.CREATED);
  }

  @ParameterizedTest
  @EnumSource
  void aRepeatedEnqueueDoesNotConflictWithItsOwnKey(OnConflict onConflict) {
    for (UniqueKey key : bothScopes().map(key -> key.onConflict(onConflict)).toList()) {
      JobDraft draft = job().unique(key);
      JobId id = enqueue(draft);

      assertThat(admit(draft.build().repeated())).isEqualTo(new Admission(id, Outcome.EXISTING));
    }
  }

  @ParameterizedTest
  @MethodSource("bothScopes")
  void concurrentEnqueuesOfOneKeyCreateOneJob(UniqueKey key) throws Exception {
    List<Admission> admissions = Together.run(8, n -> admit(job().unique(key)));

    assertThat(admissions).extracting(Admission::outcome).containsOnlyOnce(Outcome.CREATED);
    assertThat(admissions).extracting(Admission::id).containsOnly(admissions.get(0).id());
    assertThat(countAll(JobFilter.all())).isEqualTo(1);
  }

  @Test
  void concurrentBatchesWithKeysInOppositeOrderCreateOneJobPerKey() throws Exception {
    Together.run(
        6,
        n -> {
          NewJob a = job().unique(UniqueKey.whileActive("a")).build();
          NewJob b = job().unique(UniqueKey.whileActive("b")).build();
          return enqueueWithRetries(n % 2 == 0 ? List.of(a, b) : List.of(b, a));
        });

    assertThat(countAll(JobFilter.all())).isEqualTo(2);
  }

  /** Retries as long as the store reports that nothing was changed and that a retry may succeed. */
  private List<Admission> enqueueWithRetries(List<NewJob> jobs) {
    while (true) {
      try {
        return store.intake().enqueue(jobs);
      } catch (StoreException refused) {
        if (refused.outcome() != StoreException.Outcome.RETRYABLE) {
          throw refused;
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("bothScopes")
  void aLateFirstAttemptCreatesNothingAlthoughItsKeyIsFreeAgain(UniqueKey key) {
    JobDraft draft = job().unique(key).idUse(IdUse.REPEATED);
    JobId id = bringTo(draft, JobState.SUCCEEDED);
    passTime(WINDOW.plusSeconds(1));

    assertThat(admit(draft.idUse(IdUse.FRESH))).isEqualTo(new Admission(id, Outcome.EXISTING));
    assertThat(countAll(JobFilter.all())).isEqualTo(1);
    assertThat(admit(job().unique(key)).outcome()).isEqualTo(Outcome.CREATED);
  }

  /** A repeat whose key was taken created nothing. The next repeat may create the job. */
  @Test
  void aSecondRepeatIsWrittenWhenItsKeyIsFreeAgain() {
    bringTo(job().unique(windowed()), JobState.RUNNING);
    JobDraft draft = job().unique(windowed()).idUse(IdUse.REPEATED);
    assertThat(admit(draft).outcome()).isEqualTo(Outcome.EXISTING);
    passTime(WINDOW.plusSeconds(1));

    assertThat(admit(draft).outcome()).isEqualTo(Outcome.CREATED);
  }
}
