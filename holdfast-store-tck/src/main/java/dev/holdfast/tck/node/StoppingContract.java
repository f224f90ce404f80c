package dev.holdfast.tck.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.api.job.Enqueued;
import dev.holdfast.api.job.JobState;
import dev.holdfast.engine.held.TaskExecutor;
import dev.holdfast.engine.node.HoldfastNode;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Nodes that are stopped, and the jobs that they hand back. */
public abstract class StoppingContract extends NodeTestBase {
  @Test
  void aReadinessProbeTurnsFalseWhenTheDrainStarts() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    HoldfastNode node =
        start(
            quick()
                .shutdownGrace(SOON)
                .handle(
                    ECHO,
                    (note, context) -> {
                      started.countDown();
                      goOn.await();
                      return "finished while draining";
                    }));
    Enqueued<String> job = client().enqueue(ECHO, new Note("x"));
    started.await();
    assertThat(node.isReady()).isTrue();

    Thread closing = Thread.startVirtualThread(node::close);
    await().atMost(SOON).until(() -> !node.isReady());
    assertThat(job(job.id()).state()).isEqualTo(JobState.RUNNING);
    goOn.countDown();
    closing.join();

    assertThat(client().await(job, SOON)).isEqualTo("finished while draining");
    assertThat(store().nodes().beat(node.incarnation(), 0)).isEmpty();
  }

  @Test
  void stoppingNowEndsTheGraceTimeOfAStopInProgress() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    HoldfastNode node =
        start(
            quick()
                .shutdownGrace(Duration.ofHours(1))
                .handle(
                    ECHO,
                    (note, context) -> {
                      started.countDown();
                      new CountDownLatch(1).await();
                      return "never";
                    }));
    Enqueued<String> job = client().enqueue(ECHO, new Note("x"));
    started.await();

    Thread closing = Thread.startVirtualThread(node::close);
    await().atMost(SOON).until(() -> !node.isReady());
    node.stopNow();
    closing.join();

    assertThat(store().nodes().beat(node.incarnation(), 0)).isEmpty();
    assertThat(job(job.id()).state()).isEqualTo(JobState.READY);
    assertThat(job(job.id()).attempt()).isZero();
  }

  @Test
  void aJobThatIgnoresInterruptionStaysClaimedWhenTheNodeHasStopped() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    HoldfastNode node =
        start(
            node()
                .handle(
                    ECHO,
                    (note, context) -> {
                      started.countDown();
                      boolean waiting = true;
                      while (waiting) {
                        try {
                          released.await();
                          waiting = false;
                        } catch (InterruptedException ignored) {
                          // The handler does not respond to interruption.
                        }
                      }
                      return "at last";
                    }));
    Enqueued<String> job = client().enqueue(ECHO, new Note("x"));
    started.await();

    node.close();

    assertThat(job(job.id()).state()).isEqualTo(JobState.RUNNING);
    assertThat(store().nodes().list())
        .as("other nodes wait for its timeout before they start the job")
        .allSatisfy(status -> assertThat(status.alive()).isTrue());
    released.countDown();
  }

  @Test
  void closingANodeDuringAStopWaitsForItAndDoesNotShortenItsGraceTime() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    HoldfastNode node =
        start(
            quick()
                .shutdownGrace(SOON)
                .handle(
                    ECHO,
                    (note, context) -> {
                      started.countDown();
                      goOn.await();
                      return "finished while draining";
                    }));
    Enqueued<String> job = client().enqueue(ECHO, new Note("x"));
    started.await();
    Thread first = Thread.startVirtualThread(node::close);
    await().atMost(SOON).until(() -> !node.isReady());

    Thread second = Thread.startVirtualThread(node::close);
    await().atMost(SOON).until(() -> second.getState() == Thread.State.WAITING);
    assertThat(node.awaitStopped(Duration.ofMillis(1))).isFalse();
    goOn.countDown();
    second.join();

    assertThat(node.awaitStopped(Duration.ZERO)).isTrue();
    assertThat(job(job.id()).result()).contains("finished while draining");
    assertThat(store().nodes().beat(node.incarnation(), 0)).isEmpty();
    first.join();
  }

  @Test
  void anExecutorThatCannotBeClosedDoesNotPreventTheNodeFromDeregistering() throws Exception {
    TaskExecutor virtual = TaskExecutor.virtual();
    TaskExecutor broken =
        new TaskExecutor() {
          @Override
          public String name() {
            return VIRTUAL;
          }

          @Override
          public int capacity() {
            return virtual.capacity();
          }

          @Override
          public void execute(Runnable job) {
            virtual.execute(job);
          }

          @Override
          public void close() {
            throw new IllegalStateException("cannot be closed");
          }
        };
    HoldfastNode node = start(node().executor(broken).handle(ECHO, (note, context) -> note.text()));

    node.close();

    assertThat(node.awaitStopped(Duration.ZERO)).isTrue();
    assertThat(store().nodes().beat(node.incarnation(), 0)).isEmpty();
  }

  @Test
  void aJobWhoseHandlerReturnsWhenTheNodeStopsIsGivenBack() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    HoldfastNode node =
        start(
            quick()
                .shutdownGrace(Duration.ZERO)
                .handle(
                    ECHO,
                    (note, context) -> {
                      started.countDown();
                      while (!Thread.currentThread().isInterrupted()) {
                        Thread.onSpinWait();
                      }
                      return "half done";
                    }));
    Enqueued<String> job = client().enqueue(ECHO, new Note("x"));
    started.await();

    node.close();

    assertThat(job(job.id()).state()).isEqualTo(JobState.READY);
    assertThat(job(job.id()).attempt()).isZero();
    assertThat(job(job.id()).result()).isNull();
    start(quick().handle(ECHO, (note, context) -> "done by attempt " + context.attempt()));
    assertThat(client().await(job, SOON)).isEqualTo("done by attempt 1");
  }
}
