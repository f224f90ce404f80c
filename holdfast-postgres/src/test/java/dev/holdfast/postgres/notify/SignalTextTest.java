package dev.holdfast.postgres.notify;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.f4b6a3.uuid.UuidCreator;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.engine.notify.Signal;
import java.time.Duration;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class SignalTextTest {

  static Stream<Signal> signals() {
    JobId job = new JobId(UuidCreator.getTimeOrderedEpoch());
    return Stream.of(
        new Signal.NewWork("mail", 9),
        new Signal.NewWork("mail", 9, 1_000),
        new Signal.Scheduled(Duration.ofMillis(1500)),
        new Signal.QueueChanged("mail"),
        new Signal.TaskChanged("email::send"),
        new Signal.HeartbeatRequested(UUID.randomUUID()),
        new Signal.ResultAwaited(job),
        new Signal.JobEnded(job),
        new Signal.RunsMarked(Duration.ofMillis(20)),
        new Signal.Watched(Signal.run(new RunId(UUID.randomUUID()))),
        new Signal.Changed(Signal.JOBS),
        new Signal.SchedulesChanged(),
        new Signal.NodeJoined(),
        new Signal.NodeDied(),
        new Signal.SignalsMissed(),
        new Signal.InTenant(7, new Signal.TaskChanged("mail::send")));
  }

  @Test
  void everyKindOfSignalIsTestedHere() {
    assertThat(signals().map(Object::getClass)).containsOnly(Signal.class.getPermittedSubclasses());
  }

  @ParameterizedTest
  @MethodSource("signals")
  void everySignalIsReadBackUnchanged(Signal signal) {
    SignalText.Received received = SignalText.split(SignalText.write("me", signal)).orElseThrow();

    assertThat(received.sender()).isEqualTo("me");
    assertThat(received.isPing()).isFalse();
    assertThat(SignalText.read(received.body())).contains(signal);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "work", "work:mail", "work:mail:high", "due:soon", "call:x", "ping:1"})
  void anInvalidSignalIsIgnored(String body) {
    assertThat(SignalText.read(body)).isEmpty();
  }

  @Test
  void aPingIsRecognisedByItsKind() {
    assertThat(SignalText.split(SignalText.ping("me", 7)).orElseThrow().isPing()).isTrue();
    assertThat(SignalText.split("no colon")).isEmpty();
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
