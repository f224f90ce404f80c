package dev.holdfast.engine.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.codec.JobPolicy;
import dev.holdfast.engine.live.Tenure;
import dev.holdfast.engine.store.ClaimOrder.Suspects;
import dev.holdfast.engine.store.Suspicion;
import dev.holdfast.engine.time.Ticker;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HoldingsTest {
  private static final UUID NODE = new UUID(1, 1);

  private final SlowStart suspects = new SlowStart(Duration.ofMinutes(1));
  private final Holdings holdings = new Holdings(suspects, Ticker.system());
  private final AtomicInteger wakes = new AtomicInteger();

  @BeforeEach
  void listen() {
    holdings.onSuspectGone(wakes::incrementAndGet);
  }

  private static Holding suspect() {
    Ticker ticker = Ticker.system();
    Tenure tenure = new Tenure(NODE, ticker, Duration.ofMinutes(1), () -> false, ticker.now());
    return new Holding(Jobs.suspect(1, Suspicion.SLOW), 1, JobPolicy.NONE, tenure);
  }

  private Suspects reserve() {
    return suspects.reserve(NODE, 1, Ticker.system().now());
  }

  @Test
  void aSuspectThatIsGoneMakesRoomForTheNextAndWakesClaimers() {
    Holding suspect = suspect();
    Suspects reserved = reserve();
    holdings.add(suspect);
    suspects.giveBack(NODE, reserved);
    assertThat(reserve()).isEqualTo(Suspects.NONE);

    holdings.remove(suspect);

    assertThat(wakes).hasValue(1);
    assertThat(reserve().most()).isEqualTo(1);
  }

  @Test
  void aClaimerThatFindsNoSuspectDoesNotWakeItself() {
    Suspects reserved = reserve();

    suspects.giveBack(NODE, reserved);

    assertThat(wakes).hasValue(0);
    assertThat(reserve().most()).isEqualTo(1);
  }

  @Test
  void aThreadThatGoesOnIsRememberedUntilItEnds() {
    Holding first = suspect();
    first.begin();
    first.settle();
    holdings.addRunaway(first);

    // A node that is fenced gives up what it holds, be it given up before or not begun.
    holdings.abandon(first);
    holdings.abandon(suspect());

    assertThat(holdings.isRunaway(first.job().id())).isTrue();
    first.handlerReturned();
    assertThat(holdings.isRunaway(first.job().id())).isFalse();
  }

  @Test
  void aThreadThatCannotBeInterruptedKeepsNoOtherFromBeingAbandoned() throws Exception {
    Holding stubborn = suspect();
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    Thread thread =
        new Thread(
            () -> {
              stubborn.begin();
              begun.countDown();
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
    begun.await();

    assertThat(holdings.abandon(stubborn)).isTrue();

    assertThat(stubborn.stopReason()).isEqualTo(StopReason.CLAIM_LOST);
    assertThat(holdings.isRunaway(stubborn.job().id())).isTrue();
    goOn.countDown();
    thread.join();
    assertThat(holdings.isRunaway(stubborn.job().id())).isFalse();
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException impossible) {
      throw new AssertionError(impossible);
    }
  }
}
