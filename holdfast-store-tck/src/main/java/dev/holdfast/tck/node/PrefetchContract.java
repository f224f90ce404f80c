package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.job.CancelResult;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.JobState;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.node.LivenessSettings;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.Claims.ReleasedClaim;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/**
 * Prefetched jobs that a node must no longer start. Heartbeats are so rare that the node can learn
 * this only when it starts the job.
 */
public abstract class PrefetchContract extends NodeTestBase {
  private final ConcurrentLinkedQueue<String> ran = new ConcurrentLinkedQueue<>();
  private final CountDownLatch goOn = new CountDownLatch(1);

  /** Returns a node with one slot, which its first job occupies until it is released. */
  private HoldfastNode busyNode() throws Exception {
    CountDownLatch busy = new CountDownLatch(1);
    HoldfastNode node =
        start(
            node()
                .liveness(LivenessSettings.DEFAULT)
                .queue("default", 1, 1)
                .handle(
                    ECHO,
                    (note, context) -> {
                      ran.add(note.text() + " under token " + context.fencingToken());
                      busy.countDown();
                      goOn.await();
                      return note.text();
                    }));
    client().enqueue(ECHO, new Note("first"));
    busy.await();
    return node;
  }

  /** Releases the first job, and enqueues another job that runs after the prefetched one. */
  private void finish() throws Exception {
    Enqueued<String> last = client().enqueue(ECHO, new Note("last"));
    goOn.countDown();
    assertThat(client().await(last, SOON)).isEqualTo("last");
  }

  @Test
  void aPrefetchedJobThatWasCancelledDoesNotRun() throws Exception {
    busyNode();
    Enqueued<String> job = client().enqueue(ECHO, new Note("cancelled"));
    awaitState(job.id(), JobState.CLAIMED);

    assertThat(store().control().cancel(job.id())).isEqualTo(CancelResult.CANCELLED);
    finish();

    assertThat(job(job.id()).state()).isEqualTo(JobState.CANCELLED);
    assertThat(ran).containsExactly("first under token 1", "last under token 1");
  }

  @Test
  void aPrefetchedJobThatDoesNotStartInTimeDoesNotRun() throws Exception {
    busyNode();
    Enqueued<String> job =
        client().enqueue(ECHO, new Note("late"), o -> o.startWithin(Duration.ofMillis(500)));
    awaitState(job.id(), JobState.CLAIMED);

    await().atMost(SOON).until(() -> isPastItsStartByTime(job));
    finish();

    assertThat(job(job.id()).state()).isEqualTo(JobState.EXPIRED);
    assertThat(ran).containsExactly("first under token 1", "last under token 1");
  }

  /** Returns the time on the clock of the store. */
  private boolean isPastItsStartByTime(Enqueued<String> job) {
    Enqueued<String> clock = client().enqueue(ECHO, new Note("clock"), o -> o.queue("unserved"));
    return job(clock.id()).createdAt().isAfter(job(job.id()).startBy());
  }

  @Test
  void aPrefetchedJobThatWasRecoveredDoesNotRunUnderItsOldToken() throws Exception {
    HoldfastNode node = busyNode();
    Enqueued<String> job = client().enqueue(ECHO, new Note("back"));
    awaitState(job.id(), JobState.CLAIMED);

    assertThat(
            store()
                .claims()
                .giveBack(
                    node.incarnation(),
                    List.of(new ReleasedClaim(new ClaimId(job.id(), 1), false))))
        .hasSize(1);
    goOn.countDown();
    assertThat(client().await(job, SOON)).isEqualTo("back");

    assertThat(ran).containsExactly("first under token 1", "back under token 2");
  }
}
