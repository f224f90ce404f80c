package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.QueueStatus;
import dev.holdfast.engine.store.QueueStore.Depth;
import dev.holdfast.engine.store.QueueStore.Rule;
import dev.holdfast.engine.store.QueueStore.Sample;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The settings and the state of queues. */
public abstract class QueueContract extends Contract {

  private Rule rule(String queue) {
    return store.queues().rules().getOrDefault(queue, Rule.NONE);
  }

  private QueueStatus status(String queue) {
    return store.queues().list().stream()
        .filter(status -> status.name().equals(queue))
        .findAny()
        .orElseThrow();
  }

  @Test
  void aQueueHasNoRuleByDefault() {
    enqueue(job());

    assertThat(rule(QUEUE)).isEqualTo(Rule.NONE);
  }

  @Test
  void aPauseIsARuleUntilTheQueueIsResumed() {
    store.queues().pause(QUEUE);
    assertThat(rule(QUEUE)).isEqualTo(new Rule(true, null));

    store.queues().resume(QUEUE);
    assertThat(rule(QUEUE)).isEqualTo(Rule.NONE);
  }

  @Test
  void aPauseShowsItsReasonAndSinceWhenUntilTheQueueIsResumed() {
    Instant before = find(enqueue(job())).createdAt();
    assertThat(status(QUEUE).pauseReason()).isNull();
    assertThat(status(QUEUE).pausedAt()).isNull();

    store.queues().pause(QUEUE, "the mail server moves");
    assertThat(status(QUEUE).pauseReason()).isEqualTo("the mail server moves");
    assertThat(status(QUEUE).pausedAt()).isAfterOrEqualTo(before);

    passTime(Duration.ofMinutes(10));
    Instant since = status(QUEUE).pausedAt();
    store.queues().pause(QUEUE);
    assertThat(status(QUEUE).pauseReason()).isEqualTo("the mail server moves");
    store.queues().pause(QUEUE, "it takes longer");
    assertThat(status(QUEUE).pauseReason()).isEqualTo("it takes longer");
    assertThat(status(QUEUE).pausedAt()).isEqualTo(since);

    store.queues().resume(QUEUE);
    assertThat(status(QUEUE).pauseReason()).isNull();
    assertThat(status(QUEUE).pausedAt()).isNull();

    store.queues().pause(QUEUE);
    assertThat(status(QUEUE).pauseReason()).isNull();
    assertThat(status(QUEUE).pausedAt()).isAfter(since);
  }

  @Test
  void aLimitIsARuleUntilItIsRemoved() {
    store.queues().limit(QUEUE, 5);
    assertThat(rule(QUEUE)).isEqualTo(new Rule(false, 5));
    store.queues().limit(QUEUE, 7);
    assertThat(rule(QUEUE)).isEqualTo(new Rule(false, 7));

    store.queues().limit(QUEUE, null);
    assertThat(rule(QUEUE)).isEqualTo(Rule.NONE);
  }

  @Test
  void pauseAndLimitAreIndependent() {
    store.queues().limit(QUEUE, 5);
    store.queues().pause(QUEUE);
    assertThat(rule(QUEUE)).isEqualTo(new Rule(true, 5));

    store.queues().limit(QUEUE, null);
    assertThat(rule(QUEUE)).isEqualTo(new Rule(true, null));
  }

  @Test
  void rulesAffectTheirQueueOnly() {
    store.queues().limit(QUEUE, 5);

    assertThat(rule("bulk")).isEqualTo(Rule.NONE);
  }

  @Test
  void pausingDoesNotAffectClaimedJobs() {
    Worker worker = worker();
    enqueueAll(job(), job());
    var running = worker.claimOne();
    var claimed = worker.prefetchOne();
    store.queues().pause(QUEUE);

    assertThat(stateOf(running.id())).isEqualTo(JobState.RUNNING);
    assertThat(worker.start(claimed.claim())).containsExactly(claimed.claim());
  }

  @Test
  void aQueueThatIsNeitherPausedNorLimitedIsForgotten() {
    store.queues().pause("a-typo");
    store.queues().limit("another", 3);
    assertThat(store.queues().list()).extracting(QueueStatus::name).contains("a-typo", "another");

    store.queues().resume("a-typo");
    store.queues().limit("another", null);

    assertThat(store.queues().list())
        .extracting(QueueStatus::name)
        .doesNotContain("a-typo", "another");
  }

  @Test
  void queuesWithJobsSettingsOrALiveNodeAreListedByName() {
    enqueue(job().queue("d-waiting"));
    bringTo(job().queue("b-scheduled"), JobState.SCHEDULED);
    store.queues().pause("a-paused");
    Worker.join(store, "node-1", "c-served", TASK);
    Worker.join(store, "node-2", "e-left", TASK).leave();

    assertThat(store.queues().list())
        .extracting(QueueStatus::name)
        .containsExactly("a-paused", "b-scheduled", "c-served", "d-waiting");
  }

  @Test
  void aStatusCountsReadyClaimedAndScheduledJobs() {
    Worker worker = worker();
    enqueueAll(job(), job(), job());
    assertThat(worker.claim(1, 2, null)).hasSize(3);
    enqueueAll(job(), job(), job().dueIn(Duration.ofHours(1)));
    bringTo(job().queue("bulk"), JobState.READY);
    store.queues().limit(QUEUE, 9);

    QueueStatus status = status(QUEUE);

    assertThat(status.paused()).isFalse();
    assertThat(status.limit()).isEqualTo(9);
    assertThat(status.ready()).isEqualTo(2);
    assertThat(status.held()).isEqualTo(3);
    assertThat(status.scheduled()).isEqualTo(1);
  }

  @Test
  void aStatusShowsAPauseAndAnAbsentLimit() {
    store.queues().pause(QUEUE);

    assertThat(status(QUEUE).paused()).isTrue();
    assertThat(status(QUEUE).limit()).isNull();
  }

  @Test
  void endedJobsDoNotCount() {
    worker();
    bringTo(job(), JobState.SUCCEEDED);
    bringTo(job(), JobState.FAILED);

    QueueStatus status = status(QUEUE);

    assertThat(status.ready() + status.held() + status.scheduled()).isZero();
    assertThat(status.oldestReady()).isEqualTo(Duration.ZERO);
  }

  @Test
  void theLongestWaitIsThatOfTheOldestDueJob() {
    enqueue(job().priority(0));
    passTime(Duration.ofMinutes(5));
    enqueue(job().priority(9));

    assertThat(status(QUEUE).oldestReady()).isBetween(Duration.ofMinutes(5), Duration.ofMinutes(6));
  }

  @Test
  void aQueueIsDeclaredByALiveNode() {
    store.nodes().register(Worker.registration("node-1", Set.of("a", "b"), Set.of(TASK)));

    assertThat(store.queues().isDeclared("a")).isTrue();
    assertThat(store.queues().isDeclared("b")).isTrue();
    assertThat(store.queues().isDeclared("c")).isFalse();
    assertThat(store.intake().isDeclared("a")).isTrue();
    assertThat(store.intake().isDeclared("c")).isFalse();
  }

  @Test
  void aQueueIsNotDeclaredByADeregisteredNode() {
    worker().leave();

    assertThat(store.queues().isDeclared(QUEUE)).isFalse();
  }

  @Test
  void aQueueIsNotDeclaredBySettingsAlone() {
    store.queues().limit("limited", 5);
    store.queues().pause("paused");

    assertThat(store.queues().isDeclared("limited")).isFalse();
    assertThat(store.queues().isDeclared("paused")).isFalse();
  }

  @Test
  void aQueueIsNotDeclaredByJobsAlone() {
    enqueue(job());

    assertThat(store.queues().isDeclared(QUEUE)).isFalse();
  }

  @Test
  void aSampleContainsTheDepthOfTheGivenQueuesAndJobsOfUnknownTasks() {
    worker();
    Worker.join(store, "node-2", "elsewhere", TASK);
    Worker.join(store, "node-3", QUEUE, TASK).leave();
    enqueueAll(job(), job(), job().dueIn(Duration.ofHours(1)));
    enqueueAll(job().queue("bulk"), job().task("other"));
    passTime(Duration.ofMinutes(5));

    Sample sample = store.queues().sample(Set.of(QUEUE, "empty"), Duration.ZERO).orElseThrow();

    assertThat(sample.counted()).isTrue();
    assertThat(sample.depths()).containsOnlyKeys(QUEUE);
    assertThat(depth(sample).ready()).isEqualTo(3);
    assertThat(depth(sample).oldestReady()).isBetween(Duration.ofMinutes(5), Duration.ofMinutes(6));
    assertThat(sample.unknownTasks()).isEqualTo(Map.of(TASK, 1L, "other", 1L));
    assertThat(sample.nodes()).isEqualTo(2);
    assertThat(sample.serving()).isEqualTo(Map.of(QUEUE, 1));
    enqueue(job());
    assertThat(store.queues().depths(Duration.ofMinutes(1)).orElseThrow())
        .hasEntrySatisfying(QUEUE, depth -> assertThat(depth.ready()).isEqualTo(3))
        .hasEntrySatisfying("bulk", depth -> assertThat(depth.ready()).isEqualTo(1))
        .containsOnlyKeys(QUEUE, "bulk");
  }

  @Test
  void allNodesShareASampleUntilItIsTooOld() {
    enqueue(job());
    Duration fresh = Duration.ofMinutes(1);
    assertThat(sample(fresh).counted()).isTrue();
    enqueueAll(job(), job());

    Sample again = sample(fresh);
    passTime(Duration.ofMinutes(2));
    Sample later = sample(fresh);

    assertThat(again.counted()).isFalse();
    assertThat(depth(again).ready()).isEqualTo(1);
    assertThat(again.unknownTasks()).isEqualTo(Map.of(TASK, 1L));
    assertThat(later.counted()).isTrue();
    assertThat(depth(later).ready()).isEqualTo(3);
  }

  @Test
  void ofManyConcurrentSamplersOneCounts() throws Exception {
    enqueue(job());

    List<Optional<Sample>> samples =
        Together.run(8, i -> store.queues().sample(Set.of(QUEUE), Duration.ofMinutes(1)));

    assertThat(samples.stream().flatMap(Optional::stream).filter(Sample::counted)).hasSize(1);
    assertThat(samples.stream().flatMap(Optional::stream))
        .allSatisfy(sample -> assertThat(depth(sample).ready()).isEqualTo(1));
  }

  private static Depth depth(Sample sample) {
    return Objects.requireNonNull(sample.depths().get(QUEUE));
  }

  private Sample sample(Duration fresh) {
    return store.queues().sample(Set.of(QUEUE), fresh).orElseThrow();
  }
}
