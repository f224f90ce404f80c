package dev.holdfast.tck.contract;

import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.internal.Times;
import dev.holdfast.api.job.Enqueued.Outcome;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.api.job.When;
import dev.holdfast.engine.store.Admission;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.NewJob;
import dev.holdfast.engine.store.NewJob.IdUse;
import dev.holdfast.engine.store.Upkeep;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Enqueuing jobs. */
public abstract class IntakeContract extends Contract {

  @Test
  void aJobDueNowIsReadyAtOnce() {
    Job job = find(enqueue(job()));

    assertThat(job.state()).isEqualTo(JobState.READY);
    assertThat(job.runAt()).isCloseTo(job.createdAt(), within(1, SECONDS));
  }

  @Test
  void aJobDueLaterIsScheduledByTheClockOfTheStore() {
    Job job = find(enqueue(job().dueIn(Duration.ofHours(2))));

    assertThat(job.state()).isEqualTo(JobState.SCHEDULED);
    assertThat(job.runAt())
        .isCloseTo(job.createdAt().plus(Duration.ofHours(2)), within(1, SECONDS));
  }

  @Test
  void aJobWithADelayOfZeroIsReadyAtOnce() {
    assertThat(stateOf(enqueue(job().dueIn(Duration.ZERO)))).isEqualTo(JobState.READY);
  }

  @Test
  void aJobWithATimeIsScheduledForIt() {
    Instant now = find(enqueue(job())).createdAt();
    Instant later = now.plus(Duration.ofHours(3)).truncatedTo(SECONDS);

    Job job = find(enqueue(job().when(new When.At(later))));

    assertThat(job.state()).isEqualTo(JobState.SCHEDULED);
    assertThat(job.runAt()).isEqualTo(later);
  }

  @Test
  void aJobWithAPastTimeIsReadyAtOnceWithoutOvertakingOthers() {
    JobId first = enqueue(job());
    Instant longAgo = find(first).createdAt().minus(Duration.ofDays(1));

    Job second = find(enqueue(job().when(new When.At(longAgo))));

    assertThat(second.state()).isEqualTo(JobState.READY);
    assertThat(second.runAt()).isCloseTo(second.createdAt(), within(1, SECONDS));
    assertThat(worker().claim(2)).extracting(ClaimedJob::id).containsExactly(first, second.id());
  }

  @Test
  void aDelayMayBeUnlimited() {
    Job some = find(enqueue(job().dueIn(Times.LONGEST).startWithin(Times.LONGEST)));
    Job last = find(enqueue(job().when(new When.At(Times.LATEST)).startWithin(Times.LONGEST)));
    JobId first = enqueue(job().when(new When.At(Times.EARLIEST)));

    assertThat(some.state()).isEqualTo(JobState.SCHEDULED);
    assertThat(some.runAt()).isCloseTo(some.createdAt().plus(Times.LONGEST), within(1, SECONDS));
    assertThat(some.startBy()).isEqualTo(some.runAt().plus(Times.LONGEST));
    assertThat(last.state()).isEqualTo(JobState.SCHEDULED);
    assertThat(last.runAt()).isEqualTo(Times.LATEST);
    assertThat(last.startBy()).isEqualTo(Times.LATEST.plus(Times.LONGEST));
    assertThat(stateOf(first)).isEqualTo(JobState.READY);
  }

  @Test
  void everyRequestedFieldIsStored() {
    JobId id =
        enqueue(
            job()
                .task("billing::invoice")
                .queue("billing")
                .priority(7)
                .payload("{\"order\":17}")
                .tags("urgent", "eu west")
                .unique(UniqueKey.whileActive("order 17"))
                .startWithin(Duration.ofMinutes(10)));

    Job job = find(id);

    assertThat(job.id()).isEqualTo(id);
    assertThat(job.task()).isEqualTo("billing::invoice");
    assertThat(job.queue()).isEqualTo("billing");
    assertThat(job.priority()).isEqualTo(7);
    assertThat(job.payload()).isEqualTo("{\"order\":17}");
    assertThat(job.tags()).containsExactlyInAnyOrder("urgent", "eu west");
    assertThat(job.uniqueKey()).isEqualTo("order 17");
    assertThat(job.startBy()).isEqualTo(job.runAt().plus(Duration.ofMinutes(10)));
  }

  @Test
  void aNewJobHasNoHistory() {
    Job job = find(enqueue(job()));

    assertThat(job.attempt()).isZero();
    assertThat(job.fencingToken()).isEqualTo(firstToken());
    assertThat(job.node()).isNull();
    assertThat(job.cancelRequested()).isFalse();
    assertThat(job.result()).isNull();
    assertThat(job.startedAt()).isNull();
    assertThat(job.endedAt()).isNull();
    assertThat(job.failures()).isEmpty();
  }

  @Test
  void fieldsThatWereNotRequestedAreAbsent() {
    Job job = find(enqueue(job().payload(null)));

    assertThat(job.payload()).isNull();
    assertThat(job.tags()).isEmpty();
    assertThat(job.uniqueKey()).isNull();
    assertThat(job.startBy()).isNull();
  }

  @Test
  void textOfAnyKindComesBackUnchanged() {
    String text = "'quoted' \"twice\" \\back\\ {a,b} NULL \t\r\n ünï 漢字 🚀 \u0001";

    JobId id = enqueue(job().payload(text).policy(text).tags("'a', \"b\" {c} \\d", "🚀"));

    assertThat(find(id).payload()).isEqualTo(text);
    assertThat(find(id).tags()).containsExactlyInAnyOrder("'a', \"b\" {c} \\d", "🚀");
    assertThat(worker().claimOne().policy()).isEqualTo(text);
  }

  @Test
  void anEmptyCallWritesNothing() {
    assertThat(store.intake().enqueue(List.of())).isEmpty();
    assertThat(countAll(JobFilter.all())).isZero();
  }

  @Test
  void resultsAreInTheOrderOfTheRequests() {
    JobDraft known = job();
    enqueue(known);
    List<NewJob> jobs = List.of(job().build(), known.build().repeated(), job().build());

    assertThat(store.intake().enqueue(jobs))
        .containsExactly(
            new Admission(jobs.get(0).id(), Outcome.CREATED),
            new Admission(jobs.get(1).id(), Outcome.EXISTING),
            new Admission(jobs.get(2).id(), Outcome.CREATED));
  }

  @Test
  void jobsOfOneCallAreClaimedInItsOrderRegardlessOfTheirIds() {
    JobId oldest = freshId();
    JobId middle = freshId();
    JobId newest = freshId();

    enqueueAll(job().id(newest), job().id(oldest), job().id(middle));

    assertThat(worker().claim(3))
        .extracting(ClaimedJob::id)
        .containsExactly(newest, oldest, middle);
  }

  @Test
  void tenThousandJobsAreWrittenInOneCall() {
    List<NewJob> jobs =
        IntStream.range(0, 10_000).mapToObj(n -> job().payload("" + n).build()).toList();

    List<Admission> admissions = store.intake().enqueue(jobs);

    assertThat(admissions)
        .containsExactlyElementsOf(
            jobs.stream().map(job -> new Admission(job.id(), Outcome.CREATED)).toList());
    assertThat(count(JobFilter.all(), JobState.READY)).isEqualTo(10_000);
    assertThat(worker().claim(3)).extracting(ClaimedJob::payload).containsExactly("0", "1", "2");
  }

  @Test
  void aPayloadThatCannotBeStoredFailsItsWholeBatch() {
    List<NewJob> jobs = Stream.of("fine", "poi\0son", "fine").map(this::withPayload).toList();

    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> store.intake().enqueue(jobs))
        .returns(StoreException.Outcome.REFUSED, StoreException::outcome);
    assertThat(countAll(JobFilter.all())).isZero();
  }

  private NewJob withPayload(String payload) {
    return job().payload(payload).build();
  }

  @ParameterizedTest
  @EnumSource(
      names = {"WAITING", "ON_HOLD"},
      mode = Mode.EXCLUDE)
  void aRepeatedEnqueueFindsItsJobInEveryState(JobState state) {
    JobDraft draft = job();
    JobId id = bringTo(draft, state);
    Job before = find(id);

    assertThat(admit(draft.build().repeated())).isEqualTo(new Admission(id, Outcome.EXISTING));
    assertThat(find(id)).isEqualTo(before);
    assertThat(countAll(JobFilter.all())).isEqualTo(1);
  }

  @Test
  void aRepeatedEnqueueThatNeverArrivedIsWritten() {
    JobDraft draft = job();

    assertThat(admit(draft.build().repeated()).outcome()).isEqualTo(Outcome.CREATED);
  }

  @Test
  void aRepeatedBatchWritesTheMissingJobs() {
    JobDraft arrived = job();
    JobDraft lost = job();
    enqueue(arrived);

    List<Admission> admissions =
        store.intake().enqueue(List.of(arrived.build().repeated(), lost.build().repeated()));

    assertThat(admissions)
        .extracting(Admission::outcome)
        .containsExactly(Outcome.EXISTING, Outcome.CREATED);
    assertThat(countAll(JobFilter.all())).isEqualTo(2);
  }

  @Test
  void anIdTwiceInOneCallIsOneJob() {
    NewJob job = job().build().repeated();

    assertThat(store.intake().enqueue(List.of(job, job)))
        .containsExactly(
            new Admission(job.id(), Outcome.CREATED), new Admission(job.id(), Outcome.EXISTING));
    assertThat(countAll(JobFilter.all())).isEqualTo(1);
  }

  /**
   * The first attempt was delayed in the network, and the client has repeated the enqueue
   * meanwhile.
   */
  @ParameterizedTest
  @EnumSource(
      names = {"WAITING", "ON_HOLD"},
      mode = Mode.EXCLUDE)
  void aLateFirstAttemptCreatesNothing(JobState state) {
    JobDraft draft = job();
    JobId id = bringTo(draft.idUse(IdUse.REPEATED), state);
    Job before = find(id);

    Admission late = admit(draft.idUse(IdUse.FRESH));

    assertThat(late).isEqualTo(new Admission(id, Outcome.EXISTING));
    assertThat(find(id)).isEqualTo(before);
    assertThat(countAll(JobFilter.all())).isEqualTo(1);
  }

  @Test
  void aLateBatchCreatesNothingRegardlessOfTheStateOfItsJobs() {
    JobDraft ended = job().idUse(IdUse.REPEATED);
    JobDraft live = job().idUse(IdUse.REPEATED);
    bringTo(ended, JobState.SUCCEEDED);
    enqueue(live);
    List<NewJob> list = List.of(ended.idUse(IdUse.FRESH).build(), live.idUse(IdUse.FRESH).build());

    assertThat(store.intake().enqueue(list))
        .extracting(Admission::outcome)
        .containsOnly(Outcome.EXISTING);
    assertThat(countAll(JobFilter.all())).isEqualTo(2);
    Worker worker = worker();
    worker.succeed(worker.claimOne());

    assertThat(store.intake().enqueue(list))
        .extracting(Admission::outcome)
        .containsOnly(Outcome.EXISTING);
    assertThat(count(JobFilter.all(), JobState.SUCCEEDED)).isEqualTo(2);
    assertThat(worker.claim(PLENTY)).isEmpty();
  }

  @Test
  void aFirstAttemptConcurrentWithItsRepeatCreatesOneJob() throws Exception {
    for (int round = 0; round < 20; round++) {
      NewJob first = job().build();
      List<Admission> admissions = Together.run(2, n -> admit(n == 0 ? first : first.repeated()));

      assertThat(admissions).extracting(Admission::outcome).containsOnlyOnce(Outcome.CREATED);
    }
    assertThat(countAll(JobFilter.all())).isEqualTo(20);
  }

  @Test
  void repeatsAreRecognisedForADayEvenIfTheRetentionOfTheirJobsIsShorter() {
    JobDraft draft = job().idUse(IdUse.REPEATED);
    bringTo(draft, JobState.FAILED);
    passTime(Duration.ofHours(23));
    runUpkeep();
    assertThat(countAll(JobFilter.all())).isZero();

    assertThat(admit(draft.idUse(IdUse.FRESH)).outcome()).isEqualTo(Outcome.EXISTING);
    assertThat(countAll(JobFilter.all())).isZero();
  }

  @Test
  void repeatsAreNotRecognisedAfterADay() {
    JobDraft draft = job().idUse(IdUse.REPEATED);
    bringTo(draft, JobState.SUCCEEDED);
    passTime(Duration.ofHours(25));
    runUpkeep();

    assertThat(admit(draft.idUse(IdUse.FRESH)).outcome()).isEqualTo(Outcome.CREATED);
  }

  private void runUpkeep() {
    store.upkeep().tidy(new Upkeep.Retention(Duration.ofHours(1), Duration.ofHours(1)));
  }

  /** Only repeats are looked up among ended jobs, to spare other enqueues the lookup. */
  @Test
  void aFreshIdIsNotLookedForAmongEndedJobs() {
    JobDraft draft = job();
    bringTo(draft, JobState.CANCELLED);

    assertThat(admit(draft).outcome()).isEqualTo(Outcome.CREATED);
  }

  @Test
  void manyLargePayloadsAreWrittenInOneCall() {
    String large = "x".repeat(1 << 20);
    List<NewJob> jobs =
        IntStream.range(0, 40).mapToObj(n -> job().payload(n + large).build()).toList();

    assertThat(store.intake().enqueue(jobs))
        .extracting(Admission::outcome)
        .hasSize(40)
        .containsOnly(Outcome.CREATED);
    assertThat(worker().claim(40))
        .extracting(ClaimedJob::id)
        .containsExactlyElementsOf(jobs.stream().map(NewJob::id).toList());
  }
}
