package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.event.LifecycleEvent;
import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.FailedAttempt;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.job.WaitReason;
import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.api.run.TaskContext;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.node.NodeBuilder;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Nodes whose handlers do not respond to interruption. */
public abstract class HungContract extends NodeTestBase {
  private static final Duration TIMEOUT = Duration.ofMillis(50);

  private final CountDownLatch released = new CountDownLatch(1);
  private final Semaphore started = new Semaphore(0);
  private final List<LifecycleEvent.SlotLost> lost = new CopyOnWriteArrayList<>();

  @AfterEach
  void release() {
    released.countDown();
  }

  /** Returns a node whose handler hangs for some payloads and soon counts as hung. */
  private NodeBuilder hanging() {
    return node()
        .id("hanging")
        .queue("default", 2)
        .interruptPatience(TIMEOUT)
        .listener(event -> {
          if (event instanceof LifecycleEvent.SlotLost slotLost) {
            lost.add(slotLost);
          }
        })
        .handle(ECHO, this::handle);
  }

  private String handle(Note note, TaskContext context) {
    started.release();
    boolean waiting = note.text().startsWith("hang");
    while (waiting) {
      try {
        released.await();
        waiting = false;
      } catch (InterruptedException ignored) {
        // The handler ignores interruption, so it hangs.
      }
    }
    return note.text();
  }

  private Enqueued<String> enqueue(String text) {
    return client()
        .enqueue(
            ECHO,
            new Note(text),
            options ->
                options.timeout(TIMEOUT).retry(RetryPolicy.fixed(Duration.ZERO).maxAttempts(1)));
  }

  private void awaitHandlerStarted(int jobs) throws InterruptedException {
    assertThat(started.tryAcquire(jobs, SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
  }

  private double gauge(String name) {
    return meters.get(name).tag("queue", "default").gauge().value();
  }

  private int lostSlots() {
    return client().nodes().list().getFirst().lostSlots();
  }

  @Test
  void slotsLostToHungHandlersAreReportedUntilTheirThreadsEnd() throws Exception {
    HoldfastNode node = start(hanging());
    Enqueued<String> first = enqueue("hang 1");
    Enqueued<String> second = enqueue("hang 2");
    awaitHandlerStarted(2);
    awaitState(first.id(), JobState.FAILED);
    awaitState(second.id(), JobState.FAILED);
    Enqueued<String> third = enqueue("quick");

    await()
        .atMost(SOON)
        .untilAsserted(() ->
            assertThat(client().whyWaiting(third.id()))
                .contains(new WaitReason.SlotsLost("default", 2, 2, List.of("hanging"))));
    assertThat(lostSlots()).isEqualTo(2);
    assertThat(gauge("holdfast.slots.lost")).isEqualTo(2);
    assertThat(node.isReady()).isFalse();
    await().atMost(SOON).until(() -> lost.size() == 2);
    assertThat(lost)
        .allSatisfy(event -> {
          assertThat(event.queue()).isEqualTo("default");
          assertThat(event.replaced()).isFalse();
        })
        .extracting(LifecycleEvent.SlotLost::job)
        .containsExactlyInAnyOrder(first.id(), second.id());

    released.countDown();

    assertThat(client().await(third, SOON)).isEqualTo("quick");
    await().atMost(SOON).until(() -> lostSlots() == 0 && gauge("holdfast.slots.lost") == 0);
    assertThat(node.isReady()).isTrue();
  }

  @Test
  void aNodeThatHasLostAToleratedShareOfItsSlotsIsReady() throws Exception {
    HoldfastNode node = start(hanging());
    Enqueued<String> hung = enqueue("hang");
    awaitState(hung.id(), JobState.FAILED);
    await().atMost(SOON).until(() -> lostSlots() == 1);

    assertThat(node.isReady()).isTrue();
    assertThat(client().await(enqueue("quick"), SOON)).isEqualTo("quick");
  }

  @Test
  void lostSlotsAreReplacedUpToTheBound() throws Exception {
    HoldfastNode node = start(hanging().replaceLostSlots(2));
    enqueue("hang 1");
    enqueue("hang 2");
    awaitHandlerStarted(2);

    assertThat(client().await(enqueue("quick"), SOON)).isEqualTo("quick");
    awaitHandlerStarted(1);
    await().atMost(SOON).until(() -> gauge("holdfast.slots.replaced") == 2);
    assertThat(lostSlots()).isZero();
    assertThat(node.isReady()).isTrue();

    enqueue("hang 3");
    enqueue("hang 4");
    awaitHandlerStarted(2);
    await().atMost(SOON).until(() -> lostSlots() == 2);
    assertThat(node.isReady()).isFalse();
  }

  @Test
  void theJobOfAHungHandlerCanStayClaimedUntilTheThreadEnds() throws Exception {
    start(hanging().holdHungJobs());
    Enqueued<String> hung = enqueue("hang");

    await().atMost(SOON).until(() -> lostSlots() == 1);
    assertThat(job(hung.id()).state()).isEqualTo(JobState.RUNNING);
    released.countDown();

    assertThat(awaitState(hung.id(), JobState.FAILED).failures())
        .extracting(FailedAttempt::code)
        .containsExactly(FailureCode.TIMED_OUT);
  }

  @Test
  void aHandlerThatStillHangsWhenItsNodeIsFencedCostsASlot() throws Exception {
    start(hanging());
    client().enqueue(ECHO, new Note("hang without a timeout"));
    awaitHandlerStarted(1);

    assertThat(client().nodes().fence("hanging")).isEqualTo(1);

    await()
        .atMost(SOON)
        .until(() ->
            client().nodes().list().stream()
                .anyMatch(node -> node.alive() && node.lostSlots() == 1));
    assertThat(lost).hasSize(1);
  }
}
