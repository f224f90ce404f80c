package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.holdfast.api.NodeMode;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.WaitReason;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.JobQueries;
import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.NodeStore.Heartbeat;
import dev.holdfast.engine.store.NodeStore.Lost;
import dev.holdfast.engine.store.NodeStore.LostLane;
import dev.holdfast.engine.store.Recovery.Holder;
import dev.holdfast.engine.store.Recovery.RecoveryAction;
import dev.holdfast.engine.store.Suspicion;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Why a job is not running, and which tasks no node handles. */
public abstract class WaitReasonContract extends Contract {

  private WaitReason why(JobId id) {
    return store.queries().whyWaiting(id).orElseThrow();
  }

  @Test
  void anUnknownJobHasNoReason() {
    assertThat(store.queries().whyWaiting(freshId())).isEmpty();
  }

  @Test
  void aJobWaitsBecauseItIsNotDue() {
    worker();
    JobId id = enqueue(job().dueIn(Duration.ofHours(1)));

    assertThat(why(id)).isEqualTo(new WaitReason.NotDue(find(id).runAt()));
  }

  private @Nullable Instant pausedAt() {
    return store.queues().list().getFirst().pausedAt();
  }

  @Test
  void aJobWaitsBecauseItsQueueIsPaused() {
    worker();
    JobId id = enqueue(job());
    store.queues().pause(QUEUE);

    assertThat(why(id)).isEqualTo(new WaitReason.QueuePaused(QUEUE, null, pausedAt()));
    assertThat(why(id).describe()).isEqualTo("Queue '%s' is paused; resume it.", QUEUE);

    store.queues().pause(QUEUE, "the mail server moves");
    assertThat(why(id))
        .isEqualTo(new WaitReason.QueuePaused(QUEUE, "the mail server moves", pausedAt()));
    assertThat(why(id).describe()).contains("the mail server moves");
  }

  @Test
  void aJobWaitsBecauseTheLimitOfItsQueueIsReached() {
    Worker worker = worker();
    store.queues().limit(QUEUE, 2);
    enqueueAll(job(), job());
    assertThat(worker.claim(1, 1, 2)).hasSize(2);
    JobId id = enqueue(job());

    assertThat(why(id)).isEqualTo(new WaitReason.QueueFull(QUEUE, 2));
  }

  @Test
  void aLimitThatIsNotReachedIsNoReason() {
    Worker worker = worker();
    store.queues().limit(QUEUE, 2);
    enqueue(job());
    assertThat(worker.claim(1, 0, 2)).hasSize(1);
    JobId id = enqueue(job());

    assertThat(why(id)).isInstanceOf(WaitReason.Queued.class);
  }

  private void loseSlots(Worker worker, LostLane... lanes) {
    Lost lost = new Lost(1, List.of(lanes));
    store
        .nodes()
        .beat(
            new Heartbeat(
                worker.incarnation(),
                0,
                0,
                Duration.ofSeconds(30),
                Duration.ofSeconds(30),
                Duration.ZERO,
                lost));
  }

  @Test
  void aJobWaitsBecauseHungHandlersOccupyAllSlotsOfEveryNodeThatCouldRunIt() {
    Worker first = worker("node-1");
    Worker second = worker("node-2");
    Worker.join(store, "elsewhere", "bulk", TASK);
    JobId id = enqueue(job());

    loseSlots(first, new LostLane(QUEUE, 2, 2, List.of("other", TASK)));
    assertThat(why(id)).as("one node still has slots").isInstanceOf(WaitReason.Queued.class);
    loseSlots(second, new LostLane(QUEUE, 2, 3, List.of(TASK)));
    assertThat(why(id)).as("a slot is left").isInstanceOf(WaitReason.Queued.class);
    loseSlots(second, new LostLane(QUEUE, 3, 3, List.of("other")));
    assertThat(why(id)).as("other tasks").isInstanceOf(WaitReason.Queued.class);
    loseSlots(second, new LostLane("bulk", 3, 3, List.of(TASK)));
    assertThat(why(id)).as("another queue").isInstanceOf(WaitReason.Queued.class);
    loseSlots(second, new LostLane(QUEUE, 3, 3, List.of(TASK)));

    assertThat(why(id))
        .isEqualTo(new WaitReason.SlotsLost(QUEUE, 5, 5, List.of("node-1", "node-2")));
    assertThat(why(id).describe())
        .startsWith("5 of 5 slots of queue '%s' on nodes node-1, node-2 are lost".formatted(QUEUE));
    second.leave();
    assertThat(why(id)).isEqualTo(new WaitReason.SlotsLost(QUEUE, 2, 2, List.of("node-1")));
  }

  @Test
  void aJobWaitsBecauseNoNodeServesItsQueue() {
    worker();
    JobId id = enqueue(job().queue("bulk"));

    assertThat(why(id)).isEqualTo(new WaitReason.QueueNotServed("bulk"));
  }

  @Test
  void aDeregisteredNodeServesNothing() {
    worker().leave();
    JobId id = enqueue(job());

    assertThat(why(id)).isEqualTo(new WaitReason.QueueNotServed(QUEUE));
  }

  @Test
  void aJobWaitsBecauseNoNodeOfItsQueueKnowsItsTask() {
    worker();
    Worker.join(store, "elsewhere", "bulk", "other");
    JobId id = enqueue(job().task("other"));

    assertThat(why(id)).isEqualTo(new WaitReason.TaskNotServed("other", QUEUE));
  }

  @Test
  void aJobWaitsBecauseNoNodeServesItsStack() {
    worker();
    serving("green-1", "green");
    JobId id = enqueue(job().stack("blue"));

    assertThat(why(id)).isEqualTo(new WaitReason.StackNotServed("blue", TASK));
  }

  @Test
  void aJobDoesNotWaitForItsStackIfANodeServesIt() {
    serving("green-1", "green", "blue");

    assertThat(why(enqueue(job().stack("blue")))).isInstanceOf(WaitReason.Queued.class);
    assertThat(why(enqueue(job()))).isInstanceOf(WaitReason.Queued.class);
  }

  @Test
  void aJobWaitsBecauseTheModesOfAllNodesPreventIt() {
    serving("node-2", new Modes(NodeMode.TRIGGER_ONLY, Map.of()));
    serving("node-1", new Modes(NodeMode.DISABLED, Map.of()));
    JobId id = enqueue(job());

    assertThat(why(id)).isEqualTo(new WaitReason.ModeForbids(TASK, List.of("node-1", "node-2")));
    worker("node-3");
    assertThat(why(id)).isInstanceOf(WaitReason.Queued.class);
  }

  @Test
  void aJobWaitsBecauseOfAModeOverrideForItsTask() {
    serving("node-1", new Modes(NodeMode.FULL, Map.of("**", NodeMode.TRIGGER_ONLY)));
    JobId id = enqueue(job());

    assertThat(why(id)).isEqualTo(new WaitReason.ModeForbids(TASK, List.of("node-1")));
    serving("node-2", new Modes(NodeMode.TRIGGER_ONLY, Map.of(TASK, NodeMode.FULL)));
    assertThat(why(id)).isInstanceOf(WaitReason.Queued.class);
  }

  @Test
  void onlyTheModesOfNodesOfItsStackCount() {
    serving("green-1", "green");
    serving("blue-1", new Modes(NodeMode.TRIGGER_ONLY, Map.of()), "blue");
    JobId id = enqueue(job().stack("blue"));

    assertThat(why(id)).isEqualTo(new WaitReason.ModeForbids(TASK, List.of("blue-1")));
  }

  @Test
  void aJobOfAStackWaitsBehindJobsOfItsStackAndJobsWithoutAStack() {
    serving("node-1", "blue", "green");
    enqueueAll(job(), job().stack("blue"), job().stack("green"), job().stack("blue"));
    JobId id = enqueue(job().stack("blue"));

    assertThat(why(id))
        .asInstanceOf(type(WaitReason.Queued.class))
        .returns(3L, WaitReason.Queued::before);
  }

  @Test
  void aCrashSuspectWaitsBehindOtherCrashSuspects() {
    Worker dead = worker();
    enqueueAll(job(), job());
    List<ClaimedJob> held = dead.claim(2);
    assertThat(store.nodes().markDead(dead.incarnation(), 0, Duration.ofMinutes(2))).isTrue();
    store
        .recovery()
        .recover(
            Holder.dead(dead.incarnation()),
            held.stream()
                .map(job ->
                    new RecoveryAction.AfterCrash(
                        job.claim(), Duration.ZERO, Suspicion.SLOW, dead.failure(job, "crash")))
                .toList());
    worker("node-2");
    enqueue(job().priority(9));

    assertThat(why(held.get(1).id())).isEqualTo(new WaitReason.CrashSuspect(1, 1));
  }

  @Test
  void aQueuedJobWaitsBehindEarlierJobs() {
    worker();
    enqueueAll(job(), job(), job().priority(0), job().queue("bulk").priority(9));
    JobId id = enqueue(job());
    enqueue(job());
    passTime(Duration.ofMinutes(2));

    assertThat(why(id))
        .asInstanceOf(type(WaitReason.Queued.class))
        .satisfies(inLine -> {
          assertThat(inLine.before()).isEqualTo(2);
          assertThat(inLine.waited()).isBetween(Duration.ofMinutes(2), Duration.ofMinutes(3));
        });
  }

  @Test
  void jobsBeforeAQueuedJobAreCountedUpToABound() {
    worker();
    JobDraft[] before = new JobDraft[JobQueries.MOST_COUNTED + 1];
    Arrays.setAll(before, number -> job());
    enqueueAll(before);
    JobId id = enqueue(job());

    assertThat(why(id))
        .asInstanceOf(type(WaitReason.Queued.class))
        .satisfies(inLine -> {
          assertThat(inLine.before()).isEqualTo(JobQueries.MOST_COUNTED);
          assertThat(inLine.describe()).endsWith("jobs ahead of it in the queue: 10000 or more.");
        });
  }

  @Test
  void theFirstQueuedJobHasNoJobsBeforeIt() {
    worker();
    JobId id = enqueue(job());

    assertThat(why(id))
        .asInstanceOf(type(WaitReason.Queued.class))
        .returns(0L, WaitReason.Queued::before);
  }

  @Test
  void aClaimedJobWaitsOnItsNode() {
    JobId id = enqueue(job());
    worker("node-7").prefetchOne();

    assertThat(why(id)).isEqualTo(new WaitReason.Prefetched("node-7"));
  }

  @ParameterizedTest
  @EnumSource(names = {"RUNNING", "SUCCEEDED", "FAILED", "CANCELLED", "EXPIRED"})
  void aJobThatRunsOrHasEndedDoesNotWait(JobState state) {
    assertThat(why(bringTo(job(), state))).isEqualTo(new WaitReason.NotWaiting(state));
  }

  @Test
  void tasksThatANodeOfTheQueueKnowsAreNotUnknown() {
    worker();
    enqueue(job());

    assertThat(store.queries().unknownTasks()).isEmpty();
  }

  @Test
  void readyJobsOfUnknownTasksAreCountedByTask() {
    worker();
    Worker.join(store, "elsewhere", "bulk", "other");
    enqueueAll(
        job(),
        job().task("other"),
        job().task("other"),
        job().task("other").queue("bulk"),
        job().task("third"),
        job().task("third").dueIn(Duration.ofHours(1)));

    assertThat(store.queries().unknownTasks()).isEqualTo(Map.of("other", 2L, "third", 1L));
  }

  @Test
  void aTaskWhoseOnlyNodeDeregisteredIsUnknown() {
    worker().leave();
    enqueue(job());

    assertThat(store.queries().unknownTasks()).isEqualTo(Map.of(TASK, 1L));
  }
}
