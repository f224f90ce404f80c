package dev.holdfast.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.bench.peers.Tuning;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What {@code --only} selects. */
class PeerChoiceTest {

  @Test
  void librariesAloneAreMeasuredInEveryWay() {
    PeerChoice choice = PeerChoice.of(Set.of(PeerPart.HOLDFAST, PeerPart.QUARTZ));

    assertThat(choice.libraries()).containsExactly("holdfast", "quartz");
    assertThat(choice.tunings()).containsExactly(Tuning.DEFAULT, Tuning.TUNED);
    assertThat(choice.starts()).isTrue();
  }

  @Test
  void aMeasurementAloneIsTakenOfEveryLibrary() {
    PeerChoice choice = PeerChoice.of(Set.of(PeerPart.START));

    assertThat(choice.libraries())
        .containsExactly(
            "holdfast", "graphile-worker", "pg-boss", "db-scheduler", "jobrunr", "quartz");
    assertThat(choice.drains(Tuning.DEFAULT)).isFalse();
    assertThat(choice.tunings()).containsExactly(Tuning.DEFAULT);
  }
}
