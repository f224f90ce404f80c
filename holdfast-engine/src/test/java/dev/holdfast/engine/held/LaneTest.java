package dev.holdfast.engine.held;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.codec.JobPolicy;
import dev.holdfast.engine.run.Jobs;
import dev.holdfast.engine.time.Moment;
import dev.holdfast.engine.time.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LaneTest {
  private static final Moment NOW = new Moment(0);
  private static final Ticker TICKER = () -> NOW;

  private final TaskExecutor executor = TaskExecutor.virtual();
  private final Object reserving = new Object();
  private final Slots.Pool shared = new Slots.Pool(2);
  private final Lane lane = lane("one");
  private final List<HeldJob> run = new ArrayList<>();
  private final AtomicInteger wakeups = new AtomicInteger();

  @AfterEach
  void stop() {
    executor.close();
  }

  private Lane lane(String queue) {
    return new Lane(queue, executor, List.of("task"), new Slots(reserving, List.of(shared)));
  }

  private static HeldJob job(int number) {
    Tenure tenure = new Tenure(new UUID(1, 1), TICKER, Duration.ofHours(1), () -> false, NOW);
    return new HeldJob(Jobs.of("task", number, null), 1, JobPolicy.NONE, tenure);
  }

  private void fill() {
    lane.claimedBy(wakeups::incrementAndGet, run::add);
    assertThat(lane.slots().reserve(2)).isEqualTo(2);
  }

  @Test
  void aReleasedSlotPassesToTheJobThatHasWaitedLongest() {
    fill();
    HeldJob first = job(1);
    lane.runSoon(first, NOW);
    lane.runSoon(job(2), NOW);
    assertThat(run).isEmpty();

    lane.release();

    assertThat(run).containsExactly(first);
    assertThat(lane.slots().free()).as("the job has the slot").isZero();
  }

  @Test
  void aJobThatFindsAFreeSlotStartsAtOnce() {
    fill();
    lane.release();
    assertThat(lane.slots().free()).isEqualTo(1);

    lane.runSoon(job(1), NOW);

    assertThat(run).hasSize(1);
    assertThat(lane.slots().free()).isZero();
  }

  @Test
  void theClaimerIsWokenOnceWhenFewJobsWait() {
    fill();
    lane.watched(true);
    for (int i = 1; i <= 4; i++) {
      lane.runSoon(job(i), NOW);
    }
    lane.refillAt(2);

    lane.release();
    assertThat(wakeups).hasValue(0);
    lane.release();
    lane.release();

    assertThat(wakeups).hasValue(1);
    assertThat(lane.wantsRefill()).isTrue();
  }

  @Test
  void aClaimerThatSleepsIsWokenOnceForJobsThatWait() {
    fill();
    lane.runSoon(job(1), NOW);
    lane.runSoon(job(2), NOW);
    assertThat(wakeups).hasValue(1);

    lane.watched(true);
    lane.runSoon(job(3), NOW);
    assertThat(wakeups).as("it looks by itself").hasValue(1);

    lane.watched(false);
    lane.runSoon(job(4), NOW);
    assertThat(wakeups).hasValue(2);
  }

  @Test
  void aClaimerThatSleepsIsNotWokenForAJobThatStartsAtOnce() {
    fill();
    lane.release();

    lane.runSoon(job(1), NOW);

    assertThat(wakeups).hasValue(0);
  }

  @Test
  void jobsThatHaveWaitedTooLongLeaveTheQueue() {
    fill();
    HeldJob early = job(1);
    lane.runSoon(early, NOW);
    HeldJob late = job(2);
    lane.runSoon(late, NOW.plus(Duration.ofMillis(50)));

    assertThat(lane.queued().overdue(NOW.plus(SlotQueue.LONGEST))).containsExactly(early);
    assertThat(lane.queued().size()).isEqualTo(1);
    assertThat(lane.queued().all()).containsExactly(late);
    assertThat(lane.queued().size()).isZero();
  }

  @Test
  void aLaneIsContestedWhileAnotherWaitsForSlotsOfAFullPool() {
    fill();
    Lane other = lane("two");
    lane.hungerFor(1);
    assertThat(lane.isContested()).as("alone").isFalse();

    other.hungerFor(1);
    assertThat(lane.isContested()).isTrue();
    lane.slots().release(1);
    assertThat(lane.isContested()).as("a slot is free for the other").isFalse();
    assertThat(lane.slots().reserve(1)).isEqualTo(1);
    other.hungerFor(0);

    assertThat(lane.isContested()).isFalse();
  }
}
