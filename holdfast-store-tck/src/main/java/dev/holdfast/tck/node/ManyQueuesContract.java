package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.NodeMode;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.node.NodeBuilder;
import dev.holdfast.engine.store.ClaimRequest;
import dev.holdfast.tck.fault.StoreMethod;
import dev.holdfast.tck.simulation.Interposed;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A node that serves thousands of queues and receives no notifications. */
public abstract class ManyQueuesContract extends NodeTestBase {
  private static final int QUEUES = 2_000;
  private static final List<String> BUSY = List.of("q-7", "q-1234", "q-1999");

  private final AtomicInteger looks = new AtomicInteger();
  private final Set<String> claimedFrom = ConcurrentHashMap.newKeySet();

  /** Every queue has a claimer and a starter. */
  private HoldfastNode startWithManyQueues() {
    NodeBuilder node =
        node(Interposed.on(store(), this::count))
            .poll(Duration.ofMillis(20), Duration.ofMillis(50))
            .maxConcurrent(20)
            .handle(ECHO, (note, context) -> note.text());
    for (int i = 0; i < QUEUES; i++) {
      node.queue("q-" + i, 2, 1);
    }
    return start(node);
  }

  private @Nullable Object count(Interposed.Call call) throws Throwable {
    if (call.is(StoreMethod.QUEUES_WITH_READY_JOBS)) {
      looks.incrementAndGet();
    }
    if (call.is(StoreMethod.CLAIM) && call.arguments().getFirst() instanceof ClaimRequest request) {
      claimedFrom.add(request.queue());
    }
    return call.proceed();
  }

  /** Counts platform threads only. */
  private static int threads() {
    return Thread.getAllStackTraces().size();
  }

  private void awaitQueries(int more) {
    int before = looks.get();
    await().atMost(SOON).until(() -> looks.get() >= before + more);
  }

  @Test
  void theNodeHasFewThreadsAndPollsAllQueuesInOneQuery() {
    int before = threads();
    HoldfastNode node = startWithManyQueues();
    awaitQueries(5);

    assertThat(claimedFrom).isEmpty();
    assertThat(threads() - before).isLessThan(30);
    assertThat(node.isReady()).isTrue();
  }

  @Test
  void theNodeClaimsOnlyFromQueuesWithReadyJobs() {
    startWithManyQueues();
    List<JobId> jobs =
        BUSY.stream()
            .flatMap(queue -> Stream.of(queue, queue, queue, queue))
            .map(queue -> client().enqueue(ECHO, new Note(queue), job -> job.queue(queue)).id())
            .toList();

    jobs.forEach(job -> awaitState(job, JobState.SUCCEEDED));
    awaitQueries(3);

    assertThat(claimedFrom).containsExactlyInAnyOrderElementsOf(BUSY);
  }

  @Test
  void aChangeThatAffectsAllQueuesCausesOneQueryAndNoClaims() {
    HoldfastNode node = startWithManyQueues();
    awaitQueries(1);

    node.mode(NodeMode.FULL);
    awaitQueries(2);

    assertThat(claimedFrom).isEmpty();
  }
}
