package dev.holdfast.api.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.task.TaskType;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecurrenceTest {
  private static Recurrence with(Misfire misfire, Overlap overlap) {
    return new Recurrence(
        new Timing.Every(Duration.ofHours(1)), misfire, overlap, Duration.ZERO, null, null);
  }

  @ParameterizedTest
  @ValueSource(strings = {"SKIP", "CATCH_UP(1)", "CATCH_UP(2)"})
  void overlapQueueRequiresFireOnce(String misfire) {
    assertThatThrownBy(() -> with(Misfire.parse(misfire), Overlap.QUEUE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("policy " + misfire)
        .hasMessageContaining("QUEUE")
        .hasMessageContaining("FIRE_ONCE");
    assertThat(with(Misfire.FIRE_ONCE, Overlap.QUEUE).overlap()).isEqualTo(Overlap.QUEUE);
  }

  @Test
  void timesThatCannotBeStoredAreRejected() {
    var work = Schedule.named("a").runs(TaskType.of("test::task", String.class), "x");

    assertThatThrownBy(() -> work.every(Duration.ofDays(365_000_000)))
        .hasMessageContaining("365000000 days")
        .hasMessageContaining("at most 3650 days");
    assertThatThrownBy(() -> work.cron("0 3 * * *").until(Instant.MAX).build())
        .hasMessageContaining("end at " + Instant.MAX)
        .hasMessageContaining("leave it out");
    assertThatThrownBy(() -> work.cron("0 3 * * *").from(Instant.MIN).build())
        .hasMessageContaining("start at " + Instant.MIN)
        .hasMessageContaining("leave it out");
  }

  @Test
  void catchingUpOnSeveralDueTimesRequiresOverlapAllow() {
    assertThatThrownBy(() -> with(Misfire.catchUp(2), Overlap.SKIP))
        .hasMessageContaining("CATCH_UP(2)")
        .hasMessageContaining("ALLOW");
    assertThat(with(Misfire.catchUp(1), Overlap.SKIP)).isNotNull();
    assertThat(with(Misfire.catchUp(2), Overlap.ALLOW)).isNotNull();
  }
}
