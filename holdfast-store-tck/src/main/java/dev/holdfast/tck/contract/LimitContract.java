package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.store.ClaimedJob;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The cluster-wide limit of a queue. */
public abstract class LimitContract extends Contract {
  private Worker worker;
  private Worker other;

  @BeforeEach
  void aLimitedQueueWithManyJobs() {
    worker = worker("node-1");
    other = worker("node-2");
    enqueueAll(IntStream.range(0, 40).mapToObj(n -> job()).toArray(JobDraft[]::new));
    store.queues().limit(QUEUE, 3);
  }

  @Test
  void oneClaimReturnsNoMoreJobsThanTheLimit() {
    assertThat(worker.claim(10, 10, 3)).hasSize(3);
  }

  @Test
  void theLimitAppliesAcrossNodes() {
    assertThat(worker.claim(2, 0, 3)).hasSize(2);
    assertThat(other.claim(2, 0, 3)).hasSize(1);
    assertThat(worker.claim(2, 0, 3)).isEmpty();
  }

  @Test
  void prefetchedJobsCountTowardsTheLimit() {
    assertThat(worker.claim(0, 2, 3)).hasSize(2);
    assertThat(other.claim(2, 0, 3)).hasSize(1);
  }

  @Test
  void jobsClaimedBeforeTheLimitWasSetCountTowardsIt() {
    store.queues().limit(QUEUE, null);
    assertThat(worker.claim(2)).hasSize(2);
    store.queues().limit(QUEUE, 3);

    assertThat(other.claim(5, 0, 3)).hasSize(1);
  }

  @Test
  void nothingIsClaimedIfMoreJobsAreClaimedThanTheLimitAllows() {
    assertThat(worker.claim(3, 0, 3)).hasSize(3);
    store.queues().limit(QUEUE, 1);

    assertThat(other.claim(1, 0, 1)).isEmpty();
  }

  @Test
  void aFinishedJobFreesALimitSlot() {
    List<ClaimedJob> held = worker.claim(3, 0, 3);
    worker.succeed(held.get(0));
    worker.failPermanently(held.get(1));
    worker.retryIn(held.get(2), Duration.ofHours(1));

    assertThat(other.claim(10, 0, 3)).hasSize(3);
  }

  @Test
  void aJobGivenBackFreesALimitSlot() {
    List<ClaimedJob> held = worker.claim(1, 2, 3);
    worker.giveBack(held.get(0).claim(), held.get(1).claim());

    assertThat(other.claim(10, 0, 3)).hasSize(2);
  }

  @Test
  void aJobCancelledWhileClaimedFreesALimitSlot() {
    List<ClaimedJob> held = worker.claim(0, 3, 3);
    store.control().cancel(held.get(0).id());

    assertThat(other.claim(10, 0, 3)).hasSize(1);
  }

  @Test
  void jobsOfOtherQueuesDoNotCountTowardsTheLimit() {
    enqueueAll(job().queue("bulk"), job().queue("bulk"));
    assertThat(worker.claimFrom("bulk", 2, 0, null)).hasSize(2);

    assertThat(worker.claim(10, 0, 3)).hasSize(3);
  }

  @Test
  void aNodeThatDoesNotKnowTheLimitClaimsNothing() {
    assertThat(worker.claim(1)).isEmpty();
    assertThat(worker.prefetch(1)).isEmpty();
  }

  @Test
  void aNodeThatAssumesAnotherLimitClaimsNothing() {
    assertThat(worker.claim(1, 0, 2)).isEmpty();
    assertThat(worker.claim(1, 0, 4)).isEmpty();
  }

  @Test
  void aNodeThatAssumesARemovedLimitClaimsNothing() {
    store.queues().limit(QUEUE, null);

    assertThat(worker.claim(1, 0, 3)).isEmpty();
    assertThat(worker.claim(5)).hasSize(5);
  }

  @Test
  void nothingIsClaimedFromAPausedQueueRegardlessOfItsLimit() {
    store.queues().pause(QUEUE);

    assertThat(worker.claim(1, 0, 3)).isEmpty();
  }

  @Test
  void theClusterWideLimitAppliesAcrossConcurrentClaimers() throws Exception {
    List<Worker> workers = IntStream.range(0, 8).mapToObj(n -> worker("many-" + n)).toList();

    int claimedAtOnce =
        Together.run(8, n -> workers.get(n).claim(1, 1, 3).size()).stream()
            .mapToInt(Integer::intValue)
            .sum();

    assertThat(claimedAtOnce).isLessThanOrEqualTo(3);
    assertThat(claimedAtOnce + worker.claim(10, 0, 3).size()).isEqualTo(3);
  }

  @Test
  void theLimitAppliesWhileJobsAreAddedAndFinished() throws Exception {
    List<Worker> workers = IntStream.range(0, 4).mapToObj(n -> worker("busy-" + n)).toList();

    List<Boolean> kept = Together.run(4, n -> runSome(workers.get(n)));

    assertThat(kept).containsOnly(true);
  }

  private boolean runSome(Worker busy) {
    for (int round = 0; round < 10; round++) {
      List<ClaimedJob> held = busy.claim(1, 1, 3);
      long heldByAll =
          store.queues().list().stream()
              .filter(queue -> queue.name().equals(QUEUE))
              .findAny()
              .orElseThrow()
              .held();
      if (heldByAll > 3) {
        return false;
      }
      held.forEach(job -> busy.giveBack(job.claim()));
    }
    return true;
  }
}
