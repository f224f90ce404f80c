package dev.holdfast.engine.trigger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.job.JobId;
import dev.holdfast.engine.store.EventIntake.SubjectRules;
import dev.holdfast.engine.trigger.SubjectState.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class SubjectStateTest {
  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
  private static final JobId OWN = new JobId(new UUID(0, 1));
  private static final JobId OTHER = new JobId(new UUID(0, 2));
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final SubjectRules DEBOUNCE =
      new SubjectRules("7", MINUTE, MINUTE.multipliedBy(2), null);
  private static final SubjectRules COOLDOWN = new SubjectRules("7", null, null, MINUTE);

  private static SubjectState fires(Instant since, Instant at) {
    return new SubjectState(OTHER, since, at);
  }

  @Test
  void anUnknownSubjectGetsAJob() {
    assertThat(SubjectState.UNKNOWN.decide(DEBOUNCE, OWN, null, NOW))
        .isEqualTo(new Step.Open(NOW.plus(MINUTE)));
    assertThat(SubjectState.UNKNOWN.decide(COOLDOWN, OWN, null, NOW)).isEqualTo(new Step.Open(NOW));
  }

  @Test
  void aWaitingJobIsPostponedUpToTheMaximumWait() {
    Instant since = NOW.minusSeconds(90);
    assertThat(fires(since, NOW.plusSeconds(1)).decide(DEBOUNCE, OWN, null, NOW))
        .isEqualTo(new Step.Postpone(OTHER, since.plusSeconds(120)));
  }

  @Test
  void aDueJobIsNotPostponed() {
    assertThat(fires(NOW, NOW).decide(DEBOUNCE, OWN, null, NOW))
        .isEqualTo(new Step.Open(NOW.plus(MINUTE)));
  }

  @Test
  void aRepeatIsRecognisedByItsJob() {
    assertThat(new SubjectState(OWN, NOW, NOW).decide(COOLDOWN, OWN, OWN, NOW))
        .isEqualTo(new Step.Repeat());
  }

  @Test
  void aStartedPayloadIsADuplicateEvenDuringTheCooldown() {
    assertThat(fires(NOW, NOW).decide(COOLDOWN, OWN, OTHER, NOW))
        .isEqualTo(new Step.Duplicate(OTHER));
  }

  @Test
  void aCooldownEndsOnTime() {
    SubjectState state = fires(NOW, NOW);
    assertThat(state.decide(COOLDOWN, OWN, null, NOW.plusSeconds(59)))
        .isEqualTo(new Step.Cool(OTHER));
    assertThat(state.decide(COOLDOWN, OWN, null, NOW.plusSeconds(60)))
        .isEqualTo(new Step.Open(NOW.plusSeconds(60)));
  }
}
