package dev.holdfast.api.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TimesTest {

  @ParameterizedTest
  @CsvSource({
    "PT0S, 0 s",
    "PT0.000000001S, 0.000001 ms",
    "PT0.0015S, 1 ms",
    "PT0.25S, 250 ms",
    "PT2S, 2 s",
    "PT2.5S, 2.5 s",
    "PT2.666666666S, 2.666 s",
    "PT1M, 1 min",
    "PT1M30S, 1 min 30 s",
    "PT1H0.5S, 1 h 0.5 s",
    "PT24H, 1 day",
    "PT49H5M, 2 days 1 h 5 min",
    "PT-1M, -1 min",
    "PT-0.25S, -250 ms",
    "PT-24H, -1 day"
  })
  void durationsAreShownWithUnits(Duration time, String text) {
    assertThat(Times.describe(time)).isEqualTo(text);
  }

  @Test
  void everyDurationCanBeShown() {
    assertThat(Times.describe(ChronoUnit.FOREVER.getDuration())).contains(" days ");
    assertThat(Times.describe(Duration.ofSeconds(Long.MIN_VALUE))).isEqualTo("-365000 days");
  }
}
