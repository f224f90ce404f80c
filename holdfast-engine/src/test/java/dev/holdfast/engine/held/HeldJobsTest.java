package dev.holdfast.engine.held;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.codec.JobPolicy;
import dev.holdfast.engine.run.Jobs;
import dev.holdfast.engine.store.ClaimRequest.Suspects;
import dev.holdfast.engine.store.Suspicion;
import dev.holdfast.engine.time.Ticker;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HeldJobsTest {
  private static final UUID NODE = new UUID(1, 1);

  private final SlowStart suspects = new SlowStart(Duration.ofMinutes(1));
  private final HeldJobs heldJobs = new HeldJobs(suspects, Ticker.system());
  private final AtomicInteger wakes = new AtomicInteger();

  @BeforeEach
  void listen() {
    heldJobs.onSuspectGone(wakes::incrementAndGet);
  }

  private static HeldJob suspect() {
    Ticker ticker = Ticker.system();
    Tenure tenure = new Tenure(NODE, ticker, Duration.ofMinutes(1), () -> false, ticker.now());
    return new HeldJob(Jobs.suspect(1, Suspicion.SLOW), 1, JobPolicy.NONE, tenure);
  }

  private Suspects reserve() {
    return suspects.reserve(NODE, 1, Ticker.system().now());
  }

  @Test
  void aCrashSuspectThatEndsFreesItsSlotAndWakesClaimers() {
    HeldJob suspect = suspect();
    Suspects reserved = reserve();
    heldJobs.add(suspect);
    suspects.giveBack(NODE, reserved);
    assertThat(reserve()).isEqualTo(Suspects.NONE);

    heldJobs.remove(suspect);

    assertThat(wakes).hasValue(1);
    assertThat(reserve().most()).isEqualTo(1);
  }

  @Test
  void aClaimerThatFindsNoCrashSuspectDoesNotWakeItself() {
    Suspects reserved = reserve();

    suspects.giveBack(NODE, reserved);

    assertThat(wakes).hasValue(0);
    assertThat(reserve().most()).isEqualTo(1);
  }

  @Test
  void theReplyToAnEarlierClaimDoesNotReplaceALaterOne() {
    HeldJob earlier = claimed(1);
    HeldJob later = claimed(2);
    assertThat(heldJobs.add(later)).isTrue();

    assertThat(heldJobs.add(earlier)).isFalse();
    heldJobs.abandon(earlier);

    assertThat(heldJobs.find(later.job().id())).isSameAs(later);
  }

  @Test
  void aLaterClaimReplacesAnEarlierOne() {
    HeldJob earlier = claimed(1);
    HeldJob later = claimed(2);
    heldJobs.add(earlier);

    assertThat(heldJobs.add(later)).isTrue();
    heldJobs.remove(earlier);

    assertThat(heldJobs.find(later.job().id())).isSameAs(later);
  }

  private static HeldJob claimed(long token) {
    Ticker ticker = Ticker.system();
    Tenure tenure = new Tenure(NODE, ticker, Duration.ofMinutes(1), () -> false, ticker.now());
    return new HeldJob(Jobs.withToken(token), token, JobPolicy.NONE, tenure);
  }

  @Test
  void aJobWhoseCodeHasReturnedCannotBeWithdrawn() {
    HeldJob job = suspect();
    job.start();
    job.handlerReturned();

    assertThat(job.withdraw()).as("its thread is about to report its outcome").isFalse();
    assertThat(job.settle()).isTrue();
  }

  @Test
  void anAbandonedThreadIsRememberedUntilItEnds() {
    HeldJob first = suspect();
    first.start();
    first.settle();
    heldJobs.addRunaway(first);

    // A fenced node gives up all its jobs, including those given up before and those not started.
    heldJobs.abandon(first);
    heldJobs.abandon(suspect());

    assertThat(heldJobs.isRunaway(first.job().id())).isTrue();
    first.handlerReturned();
    assertThat(heldJobs.isRunaway(first.job().id())).isFalse();
  }

  @Test
  void aThreadThatCannotBeInterruptedDoesNotPreventOthersFromBeingAbandoned() throws Exception {
    HeldJob stubborn = suspect();
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    Thread thread =
        new Thread(
            () -> {
              stubborn.start();
              started.countDown();
              awaitQuietly(goOn);
              stubborn.handlerReturned();
            }) {
          @Override
          public void interrupt() {
            throw new IllegalStateException("not this one");
          }
        };
    thread.setDaemon(true);
    thread.start();
    started.await();

    assertThat(heldJobs.abandon(stubborn)).isTrue();

    assertThat(stubborn.stopReason()).isEqualTo(StopReason.CLAIM_LOST);
    assertThat(heldJobs.isRunaway(stubborn.job().id())).isTrue();
    goOn.countDown();
    thread.join();
    assertThat(heldJobs.isRunaway(stubborn.job().id())).isFalse();
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException impossible) {
      throw new AssertionError(impossible);
    }
  }
}
