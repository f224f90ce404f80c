package dev.holdfast.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.JobFailedException;
import dev.holdfast.api.job.CancelResult;
import dev.holdfast.engine.node.HoldfastNode;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A node that runs jobs on its own threads. */
class BackgroundExtensionTest {
  private static final Duration SOON = Duration.ofSeconds(30);
  private final CountDownLatch started = new CountDownLatch(1);

  @RegisterExtension
  final HoldfastExtension holdfast =
      HoldfastExtension.inMemory()
          .inBackground()
          .handle(
              Welcome.TASK,
              (welcome, context) -> {
                if (welcome.email().equals("slow")) {
                  started.countDown();
                  Thread.sleep(SOON.multipliedBy(10));
                }
                return Thread.currentThread().toString();
              });

  @Test
  void jobsRunWithoutADrain(Holdfast client) throws InterruptedException {
    var job = client.enqueue(Welcome.TASK, new Welcome("ada"));

    assertThat(client.await(job, SOON)).contains("holdfast-job");
  }

  @Test
  void aRunningJobCanBeCancelled(Holdfast client, HoldfastNode node) throws InterruptedException {
    var job = client.enqueue(Welcome.TASK, new Welcome("slow"));
    assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();

    assertThat(client.cancel(job.id())).isEqualTo(CancelResult.REQUESTED);

    assertThatThrownBy(() -> client.await(job, SOON)).isInstanceOf(JobFailedException.class);
    assertThat(node.isReady()).isTrue();
  }

  @Test
  void aBackgroundNodeCannotBeDrainedAndItsClockCannotBeAdvanced() {
    assertThatThrownBy(holdfast::drain)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("drain()")
        .hasMessageContaining("remove inBackground()");
    assertThatThrownBy(() -> holdfast.advance(SOON))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("advance()")
        .hasMessageContaining("remove inBackground()");
  }
}
