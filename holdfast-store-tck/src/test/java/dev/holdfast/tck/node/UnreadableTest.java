package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.engine.run.Unreadable;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.Store;
import dev.holdfast.engine.time.Moment;
import dev.holdfast.tck.contract.Contract;
import dev.holdfast.tck.contract.StoreFixture;
import dev.holdfast.tck.contract.Worker;
import dev.holdfast.testkit.memory.InMemoryStore;
import dev.holdfast.testkit.memory.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When a node leaves a job that it cannot read to other nodes, and when it no longer does. */
class UnreadableTest extends Contract {
  private static final Moment NOW = new Moment(0);
  private static final Moment LATER = NOW.plus(Duration.ofMinutes(1));

  private final ManualClock clock = new ManualClock(Instant.parse("2026-01-01T00:00:00Z"));
  private final Store memory = new InMemoryStore(clock);

  @Override
  protected StoreFixture newFixture() {
    return new StoreFixture() {
      @Override
      public Store store() {
        return memory;
      }

      @Override
      public void passTime(Duration time) {
        clock.advance(time);
      }
    };
  }

  private Unreadable unreadable() {
    return new Unreadable("me", store.queries(), store.nodes());
  }

  private static List<JobId> leftOut(Unreadable unreadable) {
    return List.copyOf(unreadable.leftOut(QUEUE, List.of(TASK)));
  }

  /** Returns a job that this node claimed and could not read. */
  private ClaimedJob claimed(Worker me) {
    enqueue(job());
    return me.claimOne();
  }

  /** Records that a node could not read the job, which is then READY again. */
  private void failToRead(Worker by, ClaimedJob job) {
    by.finish(
        new Finish.RetryIn(
            job.claim(),
            Duration.ZERO,
            new Finish.Failure(
                1, FailureCode.BAD_PAYLOAD, null, "?", null, by.registration().id())));
  }

  @Test
  void withoutAnotherNodeThatServesTheJobTheAttemptCounts() {
    Worker me = worker("me");
    Worker.join(store, "elsewhere", "bulk", TASK);
    Worker.join(store, "other-task", QUEUE, "other");
    worker("gone").leave();
    Unreadable unreadable = unreadable();

    assertThat(unreadable.leave(claimed(me), FailureCode.BAD_PAYLOAD, NOW)).isFalse();
    assertThat(leftOut(unreadable)).isEmpty();
  }

  @Test
  void aJobIsLeftToALiveNodeThatHasNotFailedToReadIt() {
    Worker me = worker("me");
    Worker other = worker("other");
    Unreadable unreadable = unreadable();
    ClaimedJob job = claimed(me);

    assertThat(unreadable.leave(job, FailureCode.BAD_PAYLOAD, NOW)).isTrue();
    failToRead(me, job);
    assertThat(leftOut(unreadable)).containsExactly(job.id());
    assertThat(unreadable.leftOut("bulk", List.of(TASK))).isEmpty();
    assertThat(unreadable.leftOut(QUEUE, List.of("other"))).isEmpty();

    assertThat(unreadable.review(LATER)).isEqualTo(LATER.plus(Duration.ofMinutes(1)));
    assertThat(leftOut(unreadable)).containsExactly(job.id());
    other.leave();
    assertThat(unreadable.review(LATER.plus(Duration.ofMinutes(1)))).isEqualTo(Moment.NEVER);
    assertThat(leftOut(unreadable)).isEmpty();
  }

  @Test
  void aNodeThatFailedToReadTheJobIsIgnoredUnlessItHasRestartedSince() {
    Worker me = worker("me");
    Worker other = worker("other");
    Unreadable unreadable = unreadable();
    ClaimedJob first = claimed(me);
    assertThat(unreadable.leave(first, FailureCode.BAD_PAYLOAD, NOW)).isTrue();
    failToRead(me, first);
    passTime(Duration.ofSeconds(1));
    failToRead(other, other.claimOne());

    unreadable.review(LATER);
    assertThat(leftOut(unreadable)).isEmpty();
    ClaimedJob again = me.claimOne();
    assertThat(unreadable.leave(again, FailureCode.BAD_PAYLOAD, LATER)).isFalse();

    passTime(Duration.ofSeconds(1));
    worker("other");
    assertThat(unreadable.leave(again, FailureCode.BAD_PAYLOAD, LATER)).isTrue();
  }

  @Test
  void aJobThatHasEndedIsForgotten() {
    Worker me = worker("me");
    Worker other = worker("other");
    Unreadable unreadable = unreadable();
    ClaimedJob job = claimed(me);
    assertThat(unreadable.leave(job, FailureCode.BAD_PAYLOAD, NOW)).isTrue();
    failToRead(me, job);

    other.finish(new Finish.Succeeded(other.claimOne().claim(), null, null));
    unreadable.review(LATER);

    assertThat(leftOut(unreadable)).isEmpty();
  }

  @Test
  void aTaskOfWhichANodeCannotReadManyJobsIsLeftToOtherNodes() {
    Worker me = worker("me");
    Worker other = worker("other");
    Unreadable unreadable = unreadable();
    for (int i = 0; i < Unreadable.MOST_OF_TASK; i++) {
      assertThat(unreadable.mayClaim(TASK)).isTrue();
      unreadable.leave(claimed(me), FailureCode.BAD_PAYLOAD, NOW);
    }
    assertThat(unreadable.mayClaim(TASK)).isFalse();
    assertThat(unreadable.mayClaim("other")).isTrue();

    other.leave();
    unreadable.review(LATER);
    assertThat(unreadable.mayClaim(TASK)).isTrue();
  }
}
