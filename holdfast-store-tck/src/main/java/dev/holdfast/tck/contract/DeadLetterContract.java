package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobLogLine;
import dev.holdfast.api.job.JobProgress;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.RetryResult;
import dev.holdfast.api.job.UniqueKey;
import dev.holdfast.engine.codec.JobNotes;
import dev.holdfast.engine.store.Admission;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.JobControl;
import dev.holdfast.engine.store.Outcomes;
import dev.holdfast.engine.store.Outcomes.Result;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Dead-lettered jobs: retrying and deleting them. */
public abstract class DeadLetterContract extends Contract {
  private static final Instant NOW = Instant.parse("2026-07-01T12:00:00Z");

  private JobId dead(JobDraft draft) {
    return bringTo(draft, JobState.FAILED);
  }

  @Test
  void aRetriedJobIsReadyWithAllItsAttempts() {
    JobId id = dead(job().payload("p").policy("{\"x\":1}").tags("a"));

    assertThat(store.control().retry(id)).isEqualTo(RetryResult.READY);

    Job job = find(id);
    assertThat(job.state()).isEqualTo(JobState.READY);
    assertThat(job.attempt()).isZero();
    assertThat(job.endedAt()).isNull();
    ClaimedJob claimed = worker().claimOne();
    assertThat(claimed.id()).isEqualTo(id);
    assertThat(claimed.attempt()).isEqualTo(1);
    assertThat(claimed.payload()).isEqualTo("p");
    assertThat(claimed.policy()).isEqualTo("{\"x\":1}");
    assertThat(claimed.tags()).containsExactly("a");
  }

  @Test
  void theTokenKeepsGrowingThroughTheDeadLetterQueueAndBack() {
    JobId id = dead(job());
    store.control().retry(id);

    assertThat(worker().claimOne().token()).isEqualTo(firstToken() + 2);
  }

  @Test
  void earlierFailuresStayRecorded() {
    JobId id = dead(job());
    store.control().retry(id);
    assertThat(find(id).failures()).hasSize(1);

    Worker worker = worker();
    worker.failPermanently(worker.claimOne());

    assertThat(find(id).failures()).hasSize(2);
  }

  /**
   * Compares all fields of {@link Job} by reflection, so a field that is added later is included.
   */
  @Test
  void everyFieldSurvivesARetryDeadLetteringARequestedRetryAndHistory() {
    Worker worker = serving("node-1", "blue");
    JobDraft draft =
        job()
            .priority(7)
            .payload("p")
            .policy("{\"x\":1}")
            .tags("a", "b")
            .unique(UniqueKey.whileActive("order 17"))
            .startWithin(Duration.ofHours(1))
            .stamp("blue", "node-9", freshId());
    JobId id = enqueue(draft);
    ClaimedJob first = worker.claimOne();
    JobNotes notes =
        new JobNotes(new JobProgress(1, 2, "half", NOW), List.of(new JobLogLine(NOW, 1, "a line")));
    store
        .outcomes()
        .note(worker.incarnation(), List.of(new Outcomes.Note(first.claim(), notes.write())));
    Job running = find(id);
    assertThat(running)
        .as("every field that an enqueue or a handler gives has a value in this test")
        .hasNoNullFieldsOrPropertiesExcept("result", "endedAt", "run");
    assertThat(running.progress()).isEqualTo(notes.progress());
    assertThat(running.log()).isEqualTo(notes.log());
    String[] changing = {
      "state",
      "attempt",
      "fencingToken",
      "node",
      "runAt",
      "startBy",
      "startedAt",
      "endedAt",
      "failures",
      "result"
    };

    worker.retryIn(first, Duration.ZERO);
    Job waiting = find(id);
    ClaimedJob second = worker.claimOne();
    worker.failPermanently(second);
    Job failed = find(id);
    store.control().retry(id);
    Job retried = find(id);
    ClaimedJob third = worker.claimOne();
    worker.succeed(third);
    Job succeeded = find(id);

    assertThat(List.of(waiting, failed, retried, succeeded))
        .extracting(Job::state)
        .containsExactly(JobState.READY, JobState.FAILED, JobState.READY, JobState.SUCCEEDED);
    assertThat(List.of(waiting, failed, retried, succeeded))
        .allSatisfy(job ->
            assertThat(job).usingRecursiveComparison().ignoringFields(changing).isEqualTo(running));
    assertThat(waiting.startBy()).as("only a job that never started can expire").isNull();
    assertThat(failed.failures()).hasSize(2).startsWith(waiting.failures().getFirst());
    assertThat(List.of(retried.failures(), succeeded.failures())).containsOnly(failed.failures());
    assertThat(List.of(second, third))
        .allSatisfy(claimed ->
            assertThat(claimed)
                .usingRecursiveComparison()
                .ignoringFields("token", "attempt", "notes", "readyAt", "claimedAt")
                .isEqualTo(first))
        .extracting(ClaimedJob::notes)
        .containsOnly(notes.write());
  }

  @Test
  void aDeadLetteredJobKeepsItsStartByTime() {
    JobId id = enqueue(job().startWithin(Duration.ofHours(1)));
    Job enqueued = find(id);
    Worker worker = worker();
    worker.failPermanently(worker.claimOne());

    assertThat(find(id).startBy()).isNotNull().isEqualTo(enqueued.startBy());
  }

  @Test
  void aRetriedJobIsDueNow() {
    JobId old = dead(job());
    passTime(Duration.ofHours(5));
    JobId waiting = enqueue(job());
    passTime(Duration.ofMinutes(1));
    store.control().retry(old);

    assertThat(worker().claim(2)).extracting(ClaimedJob::id).containsExactly(waiting, old);
  }

  @Test
  void aRetriedJobDoesNotExpireByItsOldStartByTime() {
    JobId id = dead(job().startWithin(Duration.ofMinutes(1)));
    passTime(Duration.ofMinutes(5));
    store.control().retry(id);
    stage();

    assertThat(worker().claimOne().id()).isEqualTo(id);
  }

  @Test
  void aCancelRequestDoesNotSurviveDeadLettering() {
    Worker worker = worker();
    JobId id = enqueue(job());
    ClaimedJob claimed = worker.claimOne();
    store.control().cancel(id);
    worker.failPermanently(claimed);
    store.control().retry(id);

    assertThat(find(id).cancelRequested()).isFalse();
    assertThat(worker.retryIn(worker.claimOne(), Duration.ZERO)).isEqualTo(Result.WRITTEN);
    assertThat(stateOf(id)).isEqualTo(JobState.READY);
  }

  @ParameterizedTest
  @EnumSource(
      names = {"FAILED", "WAITING", "ON_HOLD"},
      mode = Mode.EXCLUDE)
  void aJobThatHasNotFailedIsNotRetried(JobState state) {
    JobId id = bringTo(job(), state);
    Job before = find(id);

    assertThat(store.control().retry(id)).isEqualTo(RetryResult.NOT_FAILED);
    assertThat(find(id)).isEqualTo(before);
  }

  @Test
  void anUnknownJobIsNotFound() {
    assertThat(store.control().retry(freshId())).isEqualTo(RetryResult.NOT_FOUND);
  }

  @Test
  void aJobWhoseKeyIsTakenStaysInTheDeadLetterQueue() {
    UniqueKey key = UniqueKey.whileActive("order 17");
    JobId old = dead(job().unique(key));
    JobId current = enqueue(job().unique(key));

    assertThat(store.control().retry(old)).isEqualTo(RetryResult.KEY_TAKEN);
    assertThat(stateOf(old)).isEqualTo(JobState.FAILED);

    store.control().cancel(current);
    assertThat(store.control().retry(old)).isEqualTo(RetryResult.READY);
  }

  @Test
  void aRetriedJobTakesItsKeyAgain() {
    UniqueKey key = UniqueKey.whileActive("order 17");
    JobId id = dead(job().unique(key));
    store.control().retry(id);

    assertThat(admit(job().unique(key))).isEqualTo(new Admission(id, Enqueued.Outcome.EXISTING));
  }

  @Test
  void retryingAllRetriesEveryMatchingJobAndCountsByQueue() {
    JobId here = dead(job());
    JobId alsoHere = dead(job());
    JobId there = dead(job().queue("bulk"));
    JobId other = dead(job().task("other"));
    JobId live = enqueue(job().queue("idle"));
    JobId ended = bringTo(job().queue("idle"), JobState.CANCELLED);

    Map<String, Integer> moved =
        store.control().retryAll(JobFilter.all().task(TASK), null, PLENTY).jobs();

    assertThat(moved).isEqualTo(Map.of(QUEUE, 2, "bulk", 1));
    assertThat(List.of(here, alsoHere, there, other, live, ended))
        .extracting(this::stateOf)
        .containsExactly(
            JobState.READY,
            JobState.READY,
            JobState.READY,
            JobState.FAILED,
            JobState.READY,
            JobState.CANCELLED);
  }

  @Test
  void retryingAllStopsAtItsLimit() {
    dead(job());
    dead(job());
    dead(job());

    assertThat(store.control().retryAll(JobFilter.all(), null, 2).jobs())
        .isEqualTo(Map.of(QUEUE, 2));
    assertThat(store.control().retryAll(JobFilter.all(), null, 2).jobs())
        .isEqualTo(Map.of(QUEUE, 1));
    assertThat(store.control().retryAll(JobFilter.all(), null, 2).jobs()).isEmpty();
  }

  @Test
  void retryingAllFiltersByQueueTagAndState() {
    JobId tagged = dead(job().tags("eu"));
    JobId there = dead(job().queue("bulk"));

    assertThat(store.control().retryAll(JobFilter.all().state(JobState.READY), null, PLENTY).jobs())
        .isEmpty();
    assertThat(
            store
                .control()
                .retryAll(JobFilter.all().state(JobState.FAILED).tag("eu"), null, PLENTY)
                .jobs())
        .isEqualTo(Map.of(QUEUE, 1));
    assertThat(stateOf(tagged)).isEqualTo(JobState.READY);
    assertThat(stateOf(there)).isEqualTo(JobState.FAILED);
    assertThat(store.control().retryAll(JobFilter.all().queue("bulk"), null, PLENTY).jobs())
        .isEqualTo(Map.of("bulk", 1));
  }

  @Test
  void retryingAllSkipsJobsWhoseKeyIsTaken() {
    UniqueKey taken = UniqueKey.whileActive("taken");
    JobId stuck = dead(job().unique(taken));
    JobId free = dead(job().unique(UniqueKey.whileActive("free")));
    enqueue(job().unique(taken));

    assertThat(store.control().retryAll(JobFilter.all(), null, PLENTY).jobs())
        .isEqualTo(Map.of(QUEUE, 1));
    assertThat(stateOf(stuck)).isEqualTo(JobState.FAILED);
    assertThat(stateOf(free)).isEqualTo(JobState.READY);
  }

  @Test
  void jobsWhoseKeyIsTakenDoNotCountTowardsTheLimit() {
    UniqueKey taken = UniqueKey.whileActive("taken");
    dead(job().unique(taken));
    JobId free = dead(job());
    enqueue(job().unique(taken));

    assertThat(store.control().retryAll(JobFilter.all(), null, 1).jobs())
        .isEqualTo(Map.of(QUEUE, 1));
    assertThat(stateOf(free)).isEqualTo(JobState.READY);
  }

  @Test
  void ofDeadLetteredJobsThatShareAKeyOneIsRetried() {
    UniqueKey key = UniqueKey.whileActive("order 17");
    dead(job().unique(key));
    dead(job().unique(key));

    assertThat(store.control().retryAll(JobFilter.all(), null, PLENTY).jobs())
        .isEqualTo(Map.of(QUEUE, 1));
    assertThat(count(JobFilter.all(), JobState.FAILED)).isEqualTo(1);
    assertThat(count(JobFilter.all(), JobState.READY)).isEqualTo(1);
  }

  @Test
  void purgedJobsAreDeleted() {
    JobId first = dead(job());
    JobId second = dead(job().queue("bulk"));

    assertThat(store.control().purge(JobFilter.all().queue("bulk"), null, PLENTY).count())
        .isEqualTo(1);

    assertThat(exists(first)).isTrue();
    assertThat(exists(second)).isFalse();
    assertThat(store.control().retry(second)).isEqualTo(RetryResult.NOT_FOUND);
  }

  @Test
  void purgingAffectsTheDeadLetterQueueOnly() {
    JobId ready = enqueue(job());
    JobId cancelled = bringTo(job().queue("bulk"), JobState.CANCELLED);

    assertThat(store.control().purge(JobFilter.all(), null, PLENTY).count()).isZero();
    assertThat(exists(ready)).isTrue();
    assertThat(exists(cancelled)).isTrue();
  }

  @Test
  void purgingStopsAtItsLimit() {
    dead(job());
    dead(job());
    dead(job());

    assertThat(store.control().purge(JobFilter.all(), null, 2).count()).isEqualTo(2);
    assertThat(store.control().purge(JobFilter.all(), null, 2).count()).isEqualTo(1);
    assertThat(store.control().purge(JobFilter.all(), null, 2).count()).isZero();
  }

  @Test
  void retryingAllSkipsJobsThatFailAgainAfterItsFirstStep() {
    List<JobId> ids = List.of(dead(job()), dead(job()), dead(job()));
    JobControl.Step first = store.control().retryAll(JobFilter.all(), null, 2);
    passTime(Duration.ofSeconds(1));
    Worker worker = worker();
    worker.claim(2).forEach(worker::failPermanently);

    JobControl.Step second = store.control().retryAll(JobFilter.all(), first.until(), 2);

    assertThat(first.count()).isEqualTo(2);
    assertThat(second.count()).isEqualTo(1);
    assertThat(second.until()).isEqualTo(first.until());
    assertThat(ids)
        .extracting(this::stateOf)
        .containsExactlyInAnyOrder(JobState.READY, JobState.FAILED, JobState.FAILED);
  }

  @Test
  void purgingSkipsJobsThatWereDeadLetteredAfterItsFirstStep() {
    dead(job());
    dead(job());
    dead(job());
    JobControl.Step first = store.control().purge(JobFilter.all(), null, 2);
    passTime(Duration.ofSeconds(1));
    JobId late = dead(job());

    JobControl.Step second = store.control().purge(JobFilter.all(), first.until(), 2);

    assertThat(second.count()).isEqualTo(1);
    assertThat(exists(late)).isTrue();
  }
}
