package dev.holdfast.engine.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.codec.JobPolicy;
import dev.holdfast.engine.live.Tenure;
import dev.holdfast.engine.time.Ticker;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HoldingsTest {
  private final Holdings holdings = new Holdings();
  private final AtomicInteger wakes = new AtomicInteger();

  @BeforeEach
  void listen() {
    holdings.onSuspectGone(wakes::incrementAndGet);
  }

  private static Holding suspect() {
    Ticker ticker = Ticker.system();
    Tenure tenure =
        new Tenure(new UUID(1, 1), ticker, Duration.ofMinutes(1), () -> false, ticker.now());
    return new Holding(Jobs.of("task", 1, null, 1), 1, JobPolicy.NONE, tenure);
  }

  @Test
  void aNodeHasOneSuspectAtATime() {
    assertThat(holdings.reserveSuspect()).isTrue();
    assertThat(holdings.reserveSuspect()).isFalse();
  }

  @Test
  void aSuspectThatIsGoneMakesRoomForTheNext() {
    Holding suspect = suspect();
    holdings.reserveSuspect();
    holdings.add(suspect);

    holdings.remove(suspect);

    assertThat(wakes).hasValue(1);
    assertThat(holdings.reserveSuspect()).isTrue();
  }

  @Test
  void aClaimerThatFindsNoSuspectDoesNotWakeItself() {
    holdings.reserveSuspect();

    holdings.returnSuspect();

    assertThat(wakes).hasValue(0);
    assertThat(holdings.reserveSuspect()).isTrue();
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
