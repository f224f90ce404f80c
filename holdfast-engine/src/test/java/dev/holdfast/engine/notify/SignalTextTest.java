package dev.holdfast.engine.notify;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.f4b6a3.uuid.UuidCreator;
import dev.holdfast.api.internal.Times;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.workflow.RunId;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
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
    assertThat(SignalText.read(SignalText.write(signal))).contains(signal);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "work",
        "work:mail",
        "work:mail:high",
        "due:soon",
        "call:x",
        "ping:1",
        "tenant:x:joined"
      })
  void anInvalidSignalIsIgnored(String text) {
    assertThat(SignalText.read(text)).isEmpty();
  }

  @Test
  void aDelayHasNoLimit() {
    Signal.Scheduled never = new Signal.Scheduled(ChronoUnit.FOREVER.getDuration());

    assertThat(SignalText.read(SignalText.write(never)))
        .contains(new Signal.Scheduled(Times.LONGEST));
  }
}
