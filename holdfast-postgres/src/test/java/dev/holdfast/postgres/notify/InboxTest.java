package dev.holdfast.postgres.notify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.notify.Signal;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class InboxTest {
  private static final long START = 1_000_000_000L;
  private static final long MILLI = Duration.ofMillis(1).toNanos();
  private static final Duration LONG = Duration.ofMinutes(1);

  private final Inbox inbox = new Inbox();

  @Test
  void signalsOfASteadyStreamThatComeEarlyAreDeliveredAtOnce() {
    for (int i = 0; i < 1_000; i++) {
      long early = i % 2 == 0 ? 0 : 3 * MILLI;
      assertThat(deliveredAt(START + i * 20L * MILLI - early)).isEqualTo(1);
    }
  }

  @Test
  void aFloodIsDeliveredFiftyTimesASecondAfterTheFirstSignals() {
    int delivered = 0;
    for (int i = 0; i < 2_000; i++) {
      delivered += deliveredAt(START + i * MILLI);
    }

    assertThat(delivered).isBetween(100, 101 + Inbox.EARLY);
  }

  @Test
  void signalsOfManyQueuesDeliveredTogetherCountOnce() {
    for (int round = 0; round < 20; round++) {
      for (int queue = 0; queue < 10; queue++) {
        inbox.add(new Signal.NewWork("queue-" + queue, 4));
      }
      assertThat(inbox.take(START + round * 20L * MILLI)).hasSize(10);
    }
  }

  @Test
  void aSignalThatCostsAHeartbeatIsNeverDeliveredEarly() {
    inbox.add(new Signal.QueueChanged("mail"));
    assertThat(inbox.take(START)).hasSize(1);

    inbox.add(new Signal.QueueChanged("mail"));

    assertThat(inbox.take(START + 199 * MILLI)).isEmpty();
    assertThat(inbox.quiet(START + 199 * MILLI, LONG)).isEqualTo(Duration.ofMillis(1));
    assertThat(inbox.take(START + 200 * MILLI)).hasSize(1);
  }

  private int deliveredAt(long now) {
    inbox.add(new Signal.NewWork("mail", 4));
    return inbox.take(now).size();
  }
}
