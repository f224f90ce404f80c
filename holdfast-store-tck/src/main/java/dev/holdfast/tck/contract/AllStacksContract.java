package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.WaitReason;
import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.engine.store.ClaimRequest.Suspects;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Finish.Failure;
import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.Recovery.Holder;
import dev.holdfast.engine.store.Recovery.RecoveryAction;
import dev.holdfast.engine.store.Stacks;
import dev.holdfast.engine.store.Suspicion;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Claims of a node that serves all stacks. Each test uses a separate queue, because a store may
 * cache briefly which stacks have jobs in a queue.
 */
public abstract class AllStacksContract extends Contract {
  private static final Duration SOON = Duration.ofSeconds(20);

  private Worker servingAll(String queue) {
    return Worker.joinStacks(store, "all", Stacks.ALL, queue, TASK, Modes.FULL);
  }

  private static List<JobId> ids(List<ClaimedJob> jobs) {
    return jobs.stream().map(ClaimedJob::id).toList();
  }

  @Test
  void jobsWithAndWithoutAStackAreClaimedInOrder() {
    String queue = "in-order";
    Worker all = servingAll(queue);
    List<JobId> jobs =
        enqueueAll(
            job().queue(queue).stack("green"),
            job().queue(queue),
            job().queue(queue).stack("blue"),
            job().queue(queue).stack("green"),
            job().queue(queue).stack("a stack"));
    enqueue(job().queue(queue).task("unknown").stack("blue"));

    assertThat(ids(all.claim(3))).containsExactlyElementsOf(jobs.subList(0, 3));
    assertThat(ids(all.claim(9))).containsExactlyElementsOf(jobs.subList(3, 5));
    assertThat(all.claim(9)).isEmpty();
  }

  @Test
  void jobsWithoutAStackAreClaimedIfNoStackHasJobs() {
    String queue = "no-stack";
    JobId id = enqueue(job().queue(queue));

    assertThat(ids(servingAll(queue).claim(2))).containsExactly(id);
  }

  @Test
  void jobsOfAStackThatAppearsLaterAreClaimed() {
    String queue = "appears";
    Worker all = servingAll(queue);
    enqueue(job().queue(queue).stack("blue"));
    assertThat(all.claim(9)).hasSize(1);
    JobId later = enqueue(job().queue(queue).stack("green"));

    assertThat(await().atMost(SOON).until(() -> ids(all.claim(9)), found -> !found.isEmpty()))
        .containsExactly(later);
  }

  @Test
  void theLimitOfTheQueueIsEnforced() {
    String queue = "limited";
    Worker all = servingAll(queue);
    enqueueAll(
        job().queue(queue).stack("blue"),
        job().queue(queue).stack("green"),
        job().queue(queue).stack("red"));
    store.queues().limit(queue, 2);

    assertThat(all.claim(3, 0, 2)).hasSize(2);
    assertThat(all.claim(3, 0, 2)).isEmpty();
  }

  @Test
  void crashSuspectsOfAStackThatHasNoOtherJobsAreClaimed() {
    String queue = "suspects";
    JobId id = enqueue(job().queue(queue).stack("blue"));
    Worker dead = Worker.joinStacks(store, "dead", Set.of("blue"), queue, TASK, Modes.FULL);
    ClaimedJob held = dead.claimOne();
    store.nodes().markDead(dead.incarnation(), 0, Duration.ofMinutes(2));
    Failure crash = new Failure(1, FailureCode.WORKER_CRASHED, null, "It died.", null, "dead");
    store
        .recovery()
        .recover(
            Holder.dead(dead.incarnation()),
            List.of(
                new RecoveryAction.AfterCrash(held.claim(), Duration.ZERO, Suspicion.SLOW, crash)));

    assertThat(ids(servingAll(queue).claim(2, new Suspects(2, false)))).containsExactly(id);
  }

  @Test
  void queuesWithJobsOfAnyStackAreFound() {
    enqueue(job().queue("of-blue").stack("blue"));
    enqueue(job().queue("of-none"));
    Set<String> queues = Set.of("of-blue", "of-none", "empty");

    assertThat(store.claims().queuesWithReadyJobs(queues, Set.of(TASK), Stacks.ALL))
        .containsExactlyInAnyOrder("of-blue", "of-none");
  }

  @Test
  void noJobWaitsForItsStackIfANodeServesAllStacks() {
    String queue = "explained";
    servingAll(queue);

    assertThat(store.queries().whyWaiting(enqueue(job().queue(queue).stack("blue"))))
        .containsInstanceOf(WaitReason.Queued.class);
  }

  @Test
  void theNodeIsListedAsServingAllStacks() {
    Worker all = servingAll("listed");

    assertThat(store.nodes().list())
        .filteredOn(node -> node.incarnation().equals(all.incarnation()))
        .singleElement()
        .satisfies(node -> assertThat(node.serves()).isEqualTo(Stacks.ALL));
  }
}
