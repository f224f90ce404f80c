package dev.holdfast.engine.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.codec.JobPolicy;
import dev.holdfast.engine.held.HeldJob;
import dev.holdfast.engine.held.Lane;
import dev.holdfast.engine.held.Slots;
import dev.holdfast.engine.held.TaskExecutor;
import dev.holdfast.engine.held.Tenure;
import dev.holdfast.engine.store.NodeStore.Lost;
import dev.holdfast.engine.store.NodeStore.LostLane;
import dev.holdfast.engine.time.Moment;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

class LostSlotsTest {
  private static final Moment START = new Moment(0);

  private final Object reserving = new Object();
  private final Slots.Pool node = new Slots.Pool(3);
  private final Slots.Pool queue = new Slots.Pool(2);
  private final Lane lane = lane("default", TaskExecutor.virtual(), node, queue);
  private final Lane other = lane("other", TaskExecutor.virtual(), node, new Slots.Pool(100));
  private int jobs;

  private Lane lane(String name, TaskExecutor executor, Slots.Pool... pools) {
    return new Lane(name, executor, List.of("task"), new Slots(reserving, List.of(pools)));
  }

  private LostSlots lostSlots(int mostReplaced) {
    LostSlots lost = Jobs.lostSlots(mostReplaced);
    lost.of(List.of(lane, other));
    return lost;
  }

  /** Returns an attempt whose handler runs. */
  private HeldJob running(Lane on) {
    Tenure tenure =
        new Tenure(new UUID(1, 1), () -> START, Duration.ofHours(1), () -> false, START);
    HeldJob heldJob = new HeldJob(Jobs.of("task", ++jobs), 1, JobPolicy.NONE, tenure);
    assertThat(on.slots().reserve(1)).isEqualTo(1);
    heldJob.occupies(on);
    assertThat(heldJob.start()).isTrue();
    return heldJob;
  }

  @Test
  void aLostSlotReducesTheCapacityOfEveryLaneThatSharesIt() {
    LostSlots lost = lostSlots(0);
    HeldJob first = running(lane);
    HeldJob second = running(lane);
    lost.lose(first);
    lost.lose(second);
    lost.lose(second);

    assertThat(lost.report())
        .isEqualTo(
            new Lost(
                2,
                List.of(
                    new LostLane("default", 2, 2, List.of("task")),
                    new LostLane("other", 2, 3, List.of("task")))));
    assertThat(lane.slots().free()).isZero();

    first.handlerReturned();
    lost.release(lane, first);
    assertThat(lost.count()).isEqualTo(1);
    assertThat(lane.slots().free()).isEqualTo(1);
    second.handlerReturned();
    lost.release(lane, second);
    assertThat(lost.report()).isEqualTo(Lost.NONE);
    assertThat(lane.slots().free()).isEqualTo(2);
    assertThat(other.slots().free()).isEqualTo(3);
  }

  @Test
  void anAttemptWhoseHandlerReturnedJustInTimeLosesNothing() {
    LostSlots lost = lostSlots(1);
    HeldJob heldJob = running(lane);
    heldJob.handlerReturned();

    lost.lose(heldJob);
    lost.release(lane, heldJob);

    assertThat(lost.count()).isZero();
    assertThat(lane.slots().free()).isEqualTo(2);
  }

  @Test
  void lostSlotsAreReplacedUpToTheBoundAndReturnedOnce() {
    LostSlots lost = lostSlots(1);
    HeldJob first = running(lane);
    HeldJob second = running(lane);

    lost.lose(first);
    assertThat(lane.slots().free()).as("replaced").isEqualTo(1);
    assertThat(lost.count()).isZero();
    lost.lose(second);
    assertThat(lane.slots().free()).as("beyond the bound").isEqualTo(1);
    assertThat(lost.count()).isEqualTo(1);

    first.handlerReturned();
    lost.release(lane, first);
    assertThat(lane.slots().free()).as("it was returned when it was replaced").isEqualTo(1);
    second.handlerReturned();
    lost.release(lane, second);
    assertThat(lane.slots().free()).isEqualTo(2);
    HeldJob third = running(lane);
    lost.lose(third);
    assertThat(lost.count())
        .as("only handlers that currently hang count towards the bound")
        .isZero();
  }

  @Test
  void theSlotOfAPoolledThreadIsNotReplaced() {
    LostSlots lost = lostSlots(10);
    TaskExecutor pool = TaskExecutor.of("pool", 2, Executors.newFixedThreadPool(2));
    Lane pooled = lane("default", pool, node, queue);
    lost.of(List.of(pooled));

    lost.lose(running(pooled));

    assertThat(lost.report())
        .isEqualTo(new Lost(1, List.of(new LostLane("default", 1, 2, List.of("task")))));
    assertThat(pooled.slots().free()).isEqualTo(1);
    pool.close();
  }
}
