package dev.holdfast.postgres.notify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.notify.Signal;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class NotifyPayloadTest {

  @Test
  void theSenderAndTheTextOfASignalAreReadBack() {
    Signal signal = new Signal.TaskChanged("email::send");

    assertThat(NotifyPayload.split(NotifyPayload.of("me", signal)))
        .contains(new NotifyPayload("me", "task:email::send"))
        .hasValueSatisfying(received -> assertThat(received.isPing()).isFalse());
  }

  @Test
  void aPingIsRecognisedByItsKind() {
    assertThat(NotifyPayload.split(NotifyPayload.ping("me", 7)))
        .hasValueSatisfying(ping -> assertThat(ping.isPing()).isTrue());
    assertThat(NotifyPayload.split("no colon")).isEmpty();
  }

  @Test
  void ofEquivalentSignalsTheStrongestIsKept() {
    SignalBatch batch = new SignalBatch();
    batch.add(new Signal.NewWork("mail", 3));
    batch.add(new Signal.NewWork("mail", 8));
    batch.add(new Signal.NewWork("mail", 5));
    batch.add(new Signal.NewWork("print", 1));
    batch.add(new Signal.Scheduled(Duration.ofSeconds(9)));
    batch.add(new Signal.Scheduled(Duration.ofSeconds(2)));

    assertThat(batch.drain("me"))
        .containsExactlyInAnyOrder("me:work:mail:8", "me:work:print:1", "me:due:2000000");
    assertThat(batch.isEmpty()).isTrue();
  }

  @Test
  void aBatchIsBounded() {
    SignalBatch batch = new SignalBatch();
    for (int i = 0; i < 5_000; i++) {
      batch.add(new Signal.QueueChanged("q" + i));
    }

    assertThat(batch.drain("me")).hasSize(1_000);
  }
}
