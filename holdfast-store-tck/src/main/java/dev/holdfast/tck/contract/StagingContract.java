package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Staging;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Jobs that become due or expire. */
public abstract class StagingContract extends Contract {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  @Test
  void aDueJobBecomesReady() {
    JobId id = enqueue(job().dueIn(MINUTE));
    passTime(MINUTE.plusSeconds(1));

    Staging.Report report = stage();

    assertThat(report.readied()).isEqualTo(Map.of(QUEUE, 1));
    assertThat(report.expired()).isZero();
    assertThat(report.more()).isFalse();
    assertThat(stateOf(id)).isEqualTo(JobState.READY);
  }

  @Test
  void readiedJobsAreCountedByQueue() {
    enqueueAll(
        job().dueIn(MINUTE), job().dueIn(MINUTE).queue("bulk"), job().dueIn(MINUTE).queue("bulk"));
    passTime(MINUTE.multipliedBy(2));

    assertThat(stage().readied()).isEqualTo(Map.of(QUEUE, 1, "bulk", 2));
  }

  @Test
  void aJobNotYetDueStays() {
    JobId id = enqueue(job().dueIn(MINUTE.multipliedBy(10)));
    passTime(MINUTE);

    assertThat(stage().readied()).isEmpty();
    assertThat(stateOf(id)).isEqualTo(JobState.SCHEDULED);
  }

  @Test
  void aJobNotYetDueStaysWhenOthersBecomeReady() {
    JobId due = enqueue(job().dueIn(MINUTE));
    JobId later = enqueue(job().dueIn(MINUTE.multipliedBy(10)));
    passTime(MINUTE.plusSeconds(1));

    assertThat(stage().readied()).isEqualTo(Map.of(QUEUE, 1));
    assertThat(stateOf(due)).isEqualTo(JobState.READY);
    assertThat(stateOf(later)).isEqualTo(JobState.SCHEDULED);
  }

  @Test
  void aJobThatANodeHoldsDoesNotExpireWhenOthersDo() {
    JobId held = enqueue(job().startWithin(MINUTE));
    Worker worker = worker();
    assertThat(worker.prefetch(1)).hasSize(1);
    JobId waiting = enqueue(job().startWithin(MINUTE));
    passTime(MINUTE.plusSeconds(1));

    assertThat(stage().expired()).isEqualTo(1);
    assertThat(stateOf(waiting)).isEqualTo(JobState.EXPIRED);
    assertThat(stateOf(held).isHeld()).isTrue();
  }

  @Test
  void theNextDueTimeIsReturned() {
    enqueueAll(job().dueIn(MINUTE.multipliedBy(30)), job().dueIn(MINUTE.multipliedBy(10)));

    assertThat(stage().next())
        .hasValueSatisfying(
            next -> assertThat(next).isBetween(MINUTE.multipliedBy(9), MINUTE.multipliedBy(10)));
  }

  @Test
  void theNextExpiryIsReturned() {
    enqueueAll(job().dueIn(MINUTE.multipliedBy(30)), job().startWithin(MINUTE.multipliedBy(10)));

    assertThat(stage().next())
        .hasValueSatisfying(
            next -> assertThat(next).isBetween(MINUTE.multipliedBy(9), MINUTE.multipliedBy(10)));
  }

  @Test
  void withoutScheduledJobsThereIsNoNextTime() {
    enqueue(job());

    Staging.Report report = stage();

    assertThat(report.next()).isEmpty();
    assertThat(report.more()).isFalse();
  }

  @Test
  void stagedJobsAreClaimedInTheOrderOfTheirDueTimes() {
    List<JobId> ids =
        enqueueAll(
            job().dueIn(MINUTE.multipliedBy(3)),
            job().dueIn(MINUTE.multipliedBy(1)),
            job().dueIn(MINUTE.multipliedBy(2)));
    passTime(MINUTE.multipliedBy(10));
    stage();

    assertThat(worker().claim(3))
        .extracting(ClaimedJob::id)
        .containsExactly(ids.get(1), ids.get(2), ids.get(0));
  }

  @Test
  void theWaitOfAStagedJobCountsFromItsDueTime() {
    JobId due = enqueue(job().dueIn(MINUTE));
    passTime(MINUTE.multipliedBy(5));
    JobId fresh = enqueue(job());
    stage();

    List<ClaimedJob> claimed = worker().claim(2);

    assertThat(claimed).extracting(ClaimedJob::id).containsExactly(due, fresh);
    Job job = find(due);
    assertThat(claimed.get(0).readyAt()).isEqualTo(job.runAt());
    assertThat(Duration.between(job.createdAt(), job.runAt()))
        .isBetween(MINUTE.minusSeconds(1), MINUTE.plusSeconds(1));
  }

  @Test
  void aScheduledJobGainsNoRankBeforeItIsDue() {
    JobId planned = enqueue(job().dueIn(MINUTE.multipliedBy(20)));
    passTime(MINUTE.multipliedBy(19));
    JobId spontaneous = enqueue(job());
    passTime(MINUTE.multipliedBy(2));
    stage();

    assertThat(worker().claim(2)).extracting(ClaimedJob::id).containsExactly(spontaneous, planned);
  }

  @Test
  void priorityAppliesToStagedJobs() {
    List<JobId> ids = enqueueAll(job().dueIn(MINUTE).priority(1), job().dueIn(MINUTE).priority(8));
    passTime(MINUTE.multipliedBy(2));
    stage();

    assertThat(worker().claim(2))
        .extracting(ClaimedJob::id)
        .containsExactly(ids.get(1), ids.get(0));
  }

  @Test
  void aReadyJobPastItsStartByTimeExpires() {
    JobId id = enqueue(job().startWithin(MINUTE));
    passTime(MINUTE.multipliedBy(2));

    Staging.Report report = stage();

    assertThat(report.expired()).isEqualTo(1);
    Job job = find(id);
    assertThat(job.state()).isEqualTo(JobState.EXPIRED);
    assertThat(job.endedAt()).isNotNull();
    assertThat(job.attempt()).isZero();
    assertThat(worker().claim(1)).isEmpty();
  }

  @Test
  void theStartByTimeCountsFromTheDueTime() {
    JobId id = enqueue(job().dueIn(MINUTE.multipliedBy(10)).startWithin(MINUTE));
    passTime(MINUTE.multipliedBy(10).plusSeconds(10));

    stage();

    assertThat(stateOf(id)).isEqualTo(JobState.READY);
  }

  @Test
  void aJobWhoseStartByTimePassedBeforeItWasStagedExpires() {
    JobId id = enqueue(job().dueIn(MINUTE).startWithin(MINUTE));
    passTime(MINUTE.multipliedBy(5));

    stage();
    stage();

    assertThat(stateOf(id)).isEqualTo(JobState.EXPIRED);
  }

  @Test
  void aJobStillInTimeDoesNotExpire() {
    JobId id = enqueue(job().startWithin(MINUTE.multipliedBy(10)));
    passTime(MINUTE);

    assertThat(stage().expired()).isZero();
    assertThat(stateOf(id)).isEqualTo(JobState.READY);
  }

  @Test
  void aRunningJobDoesNotExpire() {
    JobId id = bringTo(job().startWithin(MINUTE), JobState.RUNNING);
    passTime(MINUTE.multipliedBy(2));

    assertThat(stage().expired()).isZero();
    assertThat(stateOf(id)).isEqualTo(JobState.RUNNING);
  }

  @Test
  void oneCallStagesNoMoreThanItsLimitAndReportsThatThereAreMore() {
    enqueueAll(
        job().dueIn(MINUTE),
        job().dueIn(MINUTE),
        job().dueIn(MINUTE),
        job().startWithin(MINUTE),
        job().startWithin(MINUTE),
        job().startWithin(MINUTE));
    passTime(MINUTE.multipliedBy(2));

    Staging.Report first = store.staging().stage(2);
    Staging.Report second = store.staging().stage(2);

    assertThat(first.readied()).isEqualTo(Map.of(QUEUE, 2));
    assertThat(first.expired()).isEqualTo(2);
    assertThat(first.more()).isTrue();
    assertThat(second.readied()).isEqualTo(Map.of(QUEUE, 1));
    assertThat(second.expired()).isEqualTo(1);
    assertThat(second.more()).isFalse();
  }

  @Test
  void expiredJobsAloneCanReachTheLimit() {
    enqueueAll(job().startWithin(MINUTE), job().startWithin(MINUTE), job().startWithin(MINUTE));
    passTime(MINUTE.multipliedBy(2));

    assertThat(store.staging().stage(2).more()).isTrue();
    assertThat(store.staging().stage(2).more()).isFalse();
  }

  @Test
  void stagingTwiceChangesNothing() {
    JobId id = enqueue(job().dueIn(MINUTE));
    passTime(MINUTE.multipliedBy(2));
    stage();
    Job before = find(id);

    assertThat(stage().readied()).isEmpty();
    assertThat(find(id)).isEqualTo(before);
  }

  @Test
  void concurrentStagersMoveEachJobOnce() throws Exception {
    enqueueAll(IntStream.range(0, 200).mapToObj(n -> job().dueIn(MINUTE)).toArray(JobDraft[]::new));
    passTime(MINUTE.multipliedBy(2));

    int moved =
        Together.run(4, n -> stage().readied().getOrDefault(QUEUE, 0)).stream()
            .mapToInt(Integer::intValue)
            .sum();

    assertThat(moved + stage().readied().getOrDefault(QUEUE, 0)).isEqualTo(200);
    assertThat(count(JobFilter.all(), JobState.READY)).isEqualTo(200);
  }
}
