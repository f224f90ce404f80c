package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.job.CancelResult;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.RetryResult;
import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.engine.store.Admission;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.NodeStore.Heartbeat;
import dev.holdfast.engine.store.Upkeep.Report;
import dev.holdfast.engine.store.Upkeep.Retention;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Deleting rows whose retention has expired, and no others. */
public abstract class UpkeepContract extends Contract {
  private static final Retention RETENTION =
      new Retention(Duration.ofDays(10), Duration.ofDays(30));
  private static final int MOST_ROUNDS = 100;

  /** Runs upkeep until there is nothing left to delete, and returns the total. */
  private Report runUpkeep() {
    Report sum = store.upkeep().tidy(RETENTION);
    for (int round = 1; sum.more(); round++) {
      assertThat(round).as("rounds of upkeep").isLessThan(MOST_ROUNDS);
      Report next = store.upkeep().tidy(RETENTION);
      sum =
          new Report(
              sum.partitionsDropped() + next.partitionsDropped(),
              sum.deadLettersPurged() + next.deadLettersPurged(),
              sum.resultsDropped() + next.resultsDropped(),
              next.more());
    }
    return sum;
  }

  @Test
  void eachHeartbeatIsKeptForTheRetentionOfItsNode() {
    Worker brief = worker("brief");
    Worker thorough = worker("thorough");
    keepHeartbeat(brief, Duration.ofHours(1));
    keepHeartbeat(thorough, Duration.ofDays(3));
    passTime(Duration.ofMinutes(50));
    keepHeartbeat(brief, Duration.ofHours(1));
    runUpkeep();
    assertThat(store.nodes().pastBeats("brief", PLENTY)).hasSize(2);

    passTime(Duration.ofMinutes(20));
    runUpkeep();
    assertThat(store.nodes().pastBeats("brief", PLENTY)).hasSize(1);

    passTime(Duration.ofDays(2));
    runUpkeep();
    assertThat(store.nodes().pastBeats("brief", PLENTY)).isEmpty();
    assertThat(store.nodes().pastBeats("thorough", PLENTY)).hasSize(1);

    passTime(Duration.ofDays(1));
    runUpkeep();
    assertThat(store.nodes().pastBeats("thorough", PLENTY)).isEmpty();
  }

  @Test
  void withARetentionOfZeroNoHeartbeatIsKept() {
    keepHeartbeat(worker("node-1"), Duration.ZERO);

    assertThat(store.nodes().pastBeats("node-1", PLENTY)).isEmpty();
  }

  private void keepHeartbeat(Worker worker, Duration kept) {
    Duration patience = Duration.ofSeconds(30);
    Heartbeat beat = new Heartbeat(worker.incarnation(), 0, 0, patience, patience, kept);
    assertThat(store.nodes().beat(beat)).isPresent();
  }

  @ParameterizedTest
  @EnumSource(names = {"SUCCEEDED", "CANCELLED", "EXPIRED"})
  void endedJobsAreKeptForTheirRetention(JobState state) {
    JobId id = bringTo(job(), state);
    passTime(Duration.ofDays(8));
    runUpkeep();

    assertThat(stateOf(id)).isEqualTo(state);
  }

  @ParameterizedTest
  @EnumSource(names = {"SUCCEEDED", "CANCELLED", "EXPIRED"})
  void endedJobsAreDeletedAfterTheirRetention(JobState state) {
    JobId id = bringTo(job(), state);
    passTime(Duration.ofDays(12));
    runUpkeep();

    assertThat(exists(id)).isFalse();
    assertThat(store.queries().list(JobFilter.all(), null, PLENTY)).isEmpty();
    assertThat(store.control().cancel(id)).isEqualTo(CancelResult.NOT_FOUND);
    assertThat(store.control().retry(id)).isEqualTo(RetryResult.NOT_FOUND);
    assertThat(store.queries().whyWaiting(id)).isEmpty();
  }

  @Test
  void deadLetteredJobsHaveASeparateRetention() {
    JobId id = bringTo(job(), JobState.FAILED);
    passTime(Duration.ofDays(28));
    assertThat(runUpkeep().deadLettersPurged()).isZero();
    assertThat(stateOf(id)).isEqualTo(JobState.FAILED);

    passTime(Duration.ofDays(4));

    assertThat(runUpkeep().deadLettersPurged()).isEqualTo(1);
    assertThat(exists(id)).isFalse();
  }

  @ParameterizedTest
  @EnumSource(names = {"SUCCEEDED", "FAILED"})
  void theRetentionOfEndedJobsMayBeUnlimited(JobState state) {
    Duration forever = ChronoUnit.FOREVER.getDuration();
    JobId id = bringTo(job(), state);
    passTime(Duration.ofDays(400));

    store.upkeep().tidy(new Retention(forever, forever));

    assertThat(stateOf(id)).isEqualTo(state);
  }

  @ParameterizedTest
  @EnumSource(names = {"SCHEDULED", "READY", "CLAIMED", "RUNNING"})
  void liveJobsAreNeverDeleted(JobState state) {
    JobId id = bringTo(job(), state);
    passTime(Duration.ofDays(400));
    runUpkeep();

    assertThat(stateOf(id)).isEqualTo(state);
  }

  @Test
  void retentionCountsFromTheEndOfAJob() {
    Worker worker = worker();
    JobId id = enqueue(job());
    ClaimedJob claimed = worker.claimOne();
    passTime(Duration.ofDays(50));
    worker.succeed(claimed);
    runUpkeep();

    assertThat(stateOf(id)).isEqualTo(JobState.SUCCEEDED);
  }

  @Test
  void aResultIsKeptForItsRetentionAndItsJobForLonger() {
    JobId id = succeedWithRetention(Duration.ofDays(2));
    passTime(Duration.ofDays(1));
    assertThat(runUpkeep().resultsDropped()).isZero();
    assertThat(find(id).result()).isEqualTo("\"done\"");

    passTime(Duration.ofDays(2));

    assertThat(runUpkeep().resultsDropped()).isEqualTo(1);
    assertThat(stateOf(id)).isEqualTo(JobState.SUCCEEDED);
    assertThat(find(id).result()).isNull();
    assertThat(runUpkeep().resultsDropped()).isZero();
  }

  private JobId succeedWithRetention(Duration time) {
    Worker worker = worker();
    JobId id = enqueue(job());
    worker.finish(new Finish.Succeeded(worker.claimOne().claim(), "\"done\"", time));
    return id;
  }

  @Test
  void aResultWithoutItsOwnRetentionIsKeptAsLongAsItsJob() {
    JobId id = bringTo(job(), JobState.SUCCEEDED);
    passTime(Duration.ofDays(8));
    runUpkeep();

    assertThat(find(id).result()).isEqualTo("\"done\"");
  }

  @Test
  void aKeyWithinAWindowIsTakenEvenAfterItsJobIsDeleted() {
    UniqueKey key = UniqueKey.within("order 17", Duration.ofDays(100));
    JobId id = bringTo(job().unique(key), JobState.SUCCEEDED);
    passTime(Duration.ofDays(12));
    runUpkeep();
    assertThat(exists(id)).isFalse();

    assertThat(admit(job().unique(key))).isEqualTo(new Admission(id, Enqueued.Outcome.EXISTING));
  }

  @Test
  void oneRoundDeletesThousandsOfExpiredKeys() {
    enqueueAll(
        IntStream.range(0, 3_500)
            .mapToObj(n -> job().unique(UniqueKey.within("order " + n, Duration.ofDays(1))))
            .toArray(JobDraft[]::new));
    passTime(Duration.ofDays(2));

    assertThat(store.upkeep().tidy(RETENTION).more()).isFalse();
  }

  @Test
  void upkeepWithoutExpiredRowsDeletesNothing() {
    enqueue(job());

    Report report = runUpkeep();

    assertThat(report.deadLettersPurged()).isZero();
    assertThat(report.resultsDropped()).isZero();
    assertThat(report.more()).isFalse();
    assertThat(countAll(JobFilter.all())).isEqualTo(1);
  }

  @Test
  void severalNodesMayRunUpkeepConcurrently() throws Exception {
    bringTo(job(), JobState.FAILED);
    bringTo(job(), JobState.FAILED);
    bringTo(job(), JobState.SUCCEEDED);
    passTime(Duration.ofDays(40));

    List<Report> reports = Together.run(4, n -> runUpkeep());

    assertThat(reports.stream().mapToLong(Report::deadLettersPurged).sum()).isEqualTo(2);
    assertThat(store.queries().list(JobFilter.all(), null, PLENTY)).isEmpty();
  }
}
