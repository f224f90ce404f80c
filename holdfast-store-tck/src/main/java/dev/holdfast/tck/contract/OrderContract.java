package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.engine.store.ClaimedJob;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The order in which jobs are claimed. */
public abstract class OrderContract extends Contract {
  private static final Duration AGING = Duration.ofMinutes(15);

  @Test
  void theFirstJobsInRankOrderAreStartedAndTheRestPrefetched() {
    Worker worker = worker();
    List<JobId> ids = enqueueAll(job(), job(), job(), job(), job(), job());

    List<ClaimedJob> claimed = worker.claim(2, 3, null);

    assertThat(claimed).extracting(ClaimedJob::id).containsExactlyElementsOf(ids.subList(0, 5));
    assertThat(claimed)
        .extracting(ClaimedJob::started)
        .containsExactly(true, true, false, false, false);
    assertThat(ids)
        .extracting(this::stateOf)
        .containsExactly(
            JobState.RUNNING,
            JobState.RUNNING,
            JobState.CLAIMED,
            JobState.CLAIMED,
            JobState.CLAIMED,
            JobState.READY);
  }

  @Test
  void jobsOfOnePriorityAreClaimedFirstComeFirstServed() {
    JobId first = enqueue(job());
    JobId second = enqueue(job());
    JobId third = enqueue(job());

    assertThat(worker().claim(3)).extracting(ClaimedJob::id).containsExactly(first, second, third);
  }

  @Test
  void jobsOfHigherPriorityAreClaimedFirst() {
    List<JobId> ids = enqueueAll(job().priority(0), job().priority(9), job().priority(5));

    assertThat(worker().claim(3))
        .extracting(ClaimedJob::id)
        .containsExactly(ids.get(1), ids.get(2), ids.get(0));
  }

  @Test
  void aJobThatWaitedLongEnoughOvertakesHigherPriority() {
    JobId patient = enqueue(job().priority(4));
    passTime(AGING.plusMinutes(1));
    JobId urgent = enqueue(job().priority(5));

    assertThat(worker().claim(2)).extracting(ClaimedJob::id).containsExactly(patient, urgent);
  }

  @Test
  void aJobThatHasNotWaitedLongEnoughDoesNotOvertake() {
    JobId patient = enqueue(job().priority(4));
    passTime(AGING.minusMinutes(1));
    JobId urgent = enqueue(job().priority(5));

    assertThat(worker().claim(2)).extracting(ClaimedJob::id).containsExactly(urgent, patient);
  }

  @Test
  void aJobThatWaitedLongEnoughOvertakesEveryPriority() {
    JobId patient = enqueue(job().priority(0));
    passTime(AGING.multipliedBy(9).plusMinutes(1));
    JobId urgent = enqueue(job().priority(9));

    assertThat(worker().claim(2)).extracting(ClaimedJob::id).containsExactly(patient, urgent);
  }

  @Test
  void theOrderAppliesAcrossTasks() {
    Worker worker = Worker.join(store, "node-1", QUEUE, "a", "b", "c");
    List<JobId> ids =
        enqueueAll(
            job().task("b"),
            job().task("a"),
            job().task("c").priority(9),
            job().task("b"),
            job().task("a"));

    assertThat(worker.claim(4))
        .extracting(ClaimedJob::id)
        .containsExactly(ids.get(2), ids.get(0), ids.get(1), ids.get(3));
  }
}
