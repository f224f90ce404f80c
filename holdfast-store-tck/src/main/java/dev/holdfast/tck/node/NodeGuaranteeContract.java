package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.JobFilter;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.trigger.Published;
import dev.holdfast.api.trigger.Trigger;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.node.LivenessSettings;
import dev.holdfast.tck.fault.FaultyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The guarantees of nodes. Each test is named after the guarantee that it checks. */
public abstract class NodeGuaranteeContract extends NodeTestBase {
  /** Returns a node that fences itself soon after it is cut off. */
  private static final LivenessSettings FRAIL =
      LivenessSettings.DEFAULT.with(settings ->
          settings
              .heartbeat(Duration.ofMillis(100))
              .timeout(Duration.ofMillis(1_500))
              .sweep(Duration.ofMillis(100)));

  /** Returns a node that soon takes over from silent nodes. */
  private static final LivenessSettings WATCHFUL =
      LivenessSettings.DEFAULT.with(
          settings -> settings.heartbeat(Duration.ofMillis(100)).sweep(Duration.ofMillis(100)));

  @Test
  void twoHoldersNeverRunAJobAtOnce() throws Exception {
    FaultyStore cut = new FaultyStore(store());
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    CountDownLatch handlerStarted = new CountDownLatch(1);
    start(
        node(cut)
            .liveness(FRAIL)
            .id("cut-off")
            .handle(
                ECHO,
                (note, context) -> {
                  most.accumulateAndGet(running.incrementAndGet(), Math::max);
                  handlerStarted.countDown();
                  try {
                    new CountDownLatch(1).await(); // Only the node can stop it, by an interrupt.
                  } finally {
                    running.decrementAndGet();
                  }
                  return "never";
                }));
    Enqueued<String> job = client().enqueue(ECHO, new Note("x"));
    handlerStarted.await();

    cut.cut();
    start(
        node()
            .liveness(WATCHFUL)
            .id("survivor")
            .handle(
                ECHO,
                (note, context) -> {
                  most.accumulateAndGet(running.incrementAndGet(), Math::max);
                  running.decrementAndGet();
                  return "under token " + context.fencingToken();
                }));

    assertThat(client().await(job, SOON)).startsWith("under token");
    assertThat(most).hasValue(1);
    cut.heal();
  }

  @Test
  void aJobRunsAtLeastOnce() {
    FaultyStore cut = new FaultyStore(store());
    Map<JobId, Integer> runs = new ConcurrentHashMap<>();
    List<Enqueued<String>> jobs = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      jobs.add(client().enqueue(ECHO, new Note("job " + i)));
    }
    // The dead node has run the jobs that it claimed, but never reported them.
    start(
        node(cut)
            .liveness(FRAIL)
            .id("unheard")
            .queue("default", 5)
            .handle(
                ECHO,
                (note, context) -> {
                  cut.cut();
                  runs.merge(context.jobId(), 1, Integer::sum);
                  return "unheard";
                }));
    await().atMost(SOON).until(() -> !runs.isEmpty());

    start(
        node()
            .liveness(WATCHFUL)
            .id("survivor")
            .handle(
                ECHO,
                (note, context) -> {
                  runs.merge(context.jobId(), 1, Integer::sum);
                  return "heard";
                }));

    for (Enqueued<String> job : jobs) {
      awaitState(job.id(), JobState.SUCCEEDED);
      assertThat(runs.get(job.id())).isPositive();
      assertThat(job(job.id()).result()).contains("heard").doesNotContain("unheard");
    }
    assertThat(runs.values().stream().mapToInt(Integer::intValue).sum()).isGreaterThan(20);
    cut.heal();
  }

  @Test
  void oneJobPerTriggerFiring() {
    List<CompletableFuture<Published>> publishing = new ArrayList<>();
    Trigger trigger = Trigger.named("echo").on("note.written").start(ECHO).build();
    for (int i = 0; i < 4; i++) {
      HoldfastNode node =
          start(node().id("node-" + i).handle(ECHO, (note, context) -> "once").trigger(trigger));
      for (int again = 0; again < 5; again++) {
        publishing.add(
            CompletableFuture.supplyAsync(
                () -> node.client().publish("note.written", new Note("x"))));
      }
    }

    List<JobId> started =
        publishing.stream().flatMap(published -> published.join().started().stream()).toList();

    assertThat(started).hasSize(1);
    awaitState(started.getFirst(), JobState.SUCCEEDED);
    assertThat(client().count(JobFilter.all()).byState()).isEqualTo(Map.of(JobState.SUCCEEDED, 1L));
  }
}
