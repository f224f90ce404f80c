package dev.holdfast.api.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.api.internal.Times;
import dev.holdfast.api.policy.Backoff;
import dev.holdfast.api.run.RetryLater;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JobOptionsTest {
  private static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();

  @Test
  void anUnlimitedDurationCountsAsAThousandYears() {
    JobOptions patient =
        JobOptions.DEFAULTS.with(
            job -> job.timeout(FOREVER).startWithin(FOREVER).keepResult(FOREVER).runIn(FOREVER));

    assertThat(patient.timeout()).isEqualTo(Times.LONGEST);
    assertThat(patient.startWithin()).isEqualTo(Times.LONGEST);
    assertThat(patient.keepResult()).isEqualTo(Times.LONGEST);
    assertThat(patient.when()).isEqualTo(new When.After(Times.LONGEST));
    assertThat(UniqueKey.within("key", FOREVER).window()).isEqualTo(Times.LONGEST);
    assertThat(new RetryLater(FOREVER, "busy").delay()).isEqualTo(Times.LONGEST);
  }

  @Test
  void aBackoffWithoutACapGrowsWithoutLimit() {
    Backoff exponential = Backoff.exponential(Duration.ofSeconds(1), 2, FOREVER);
    Backoff linear = Backoff.linear(Duration.ofSeconds(1), FOREVER);

    assertThat(exponential.after(11)).isEqualTo(Duration.ofSeconds(1024));
    assertThat(exponential.after(1000)).isEqualTo(Times.LONGEST);
    assertThat(linear.after(1000)).isEqualTo(Duration.ofSeconds(1000));
    assertThat(Backoff.fixed(FOREVER).after(1)).isEqualTo(Times.LONGEST);
    assertThat(Backoff.exponential(FOREVER, 100, FOREVER).after(1000)).isEqualTo(Times.LONGEST);
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT0S", "PT-1S"})
  void aDurationThatIsNotPositiveIsRejectedWithTheRemedy(Duration time) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> JobOptions.DEFAULTS.with(job -> job.timeout(time)))
        .withMessage(
            "A timeout of %s is not valid: give a positive duration.", Times.describe(time));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> JobOptions.DEFAULTS.with(job -> job.startWithin(time)))
        .withMessage(
            "A start-within time of %s is not valid: give a positive duration.",
            Times.describe(time));
  }

  @Test
  void aTimeThatCannotBeStoredIsRejectedWithTheRemedy() {
    for (Instant time : new Instant[] {Instant.MIN, Instant.MAX}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> JobOptions.DEFAULTS.with(job -> job.runAt(time)))
          .withMessageContaining(time.toString())
          .withMessageContaining("give a time from 0001-01-01T00:00:00Z to 9999-12-31T23:59:59Z");
    }
  }
}
