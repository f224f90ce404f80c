package dev.holdfast.engine.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.schedule.Misfire;
import dev.holdfast.api.schedule.Overlap;
import dev.holdfast.api.schedule.Recurrence;
import dev.holdfast.api.schedule.Schedule;
import dev.holdfast.api.schedule.Timing;
import dev.holdfast.api.task.TaskType;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DueTimesTest {
  private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
  private static final Instant NOON = Instant.parse("2026-06-01T12:00:00Z");

  private static DueTimes cron(String expression, ZoneId zone) {
    return DueTimes.of(Recurrence.of(new Timing.Cron(expression, zone)), Instant.EPOCH);
  }

  private static Recurrence every(
      Duration interval, @Nullable Instant from, @Nullable Instant until) {
    return new Recurrence(
        new Timing.Every(interval), Misfire.FIRE_ONCE, Overlap.SKIP, Duration.ZERO, from, until);
  }

  private static List<String> next(DueTimes times, Instant after, int count) {
    List<String> found = new ArrayList<>();
    Instant time = after;
    for (int i = 0; i < count; i++) {
      time = times.after(time).orElseThrow();
      found.add(time.toString());
    }
    return found;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0 3 * * *       | 2026-06-02T03:00:00Z",
        "*/15 * * * *    | 2026-06-01T12:15:00Z",
        "30 * * * * *    | 2026-06-01T12:00:30Z",
        "0 9 * * MON-FRI | 2026-06-02T09:00:00Z",
        "0 0 * * 0       | 2026-06-07T00:00:00Z",
        "0 0 * * 7       | 2026-06-07T00:00:00Z",
        "0 0 1 JAN *     | 2027-01-01T00:00:00Z",
        "0 0 L * *       | 2026-06-30T00:00:00Z",
        "0 0 29 2 *      | 2028-02-29T00:00:00Z"
      })
  void aCronExpressionIsDueAtItsTimes(String expression, String expected) {
    assertThat(cron(expression, ZoneId.of("UTC")).after(NOON)).contains(Instant.parse(expected));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"0 3 * *", "0 25 * * *", "61 * * * *", "often", "0 0 * * FUNDAY", "0 0 * * 1#9"})
  void aScheduleWithAnInvalidExpressionIsRejected(String expression) {
    Schedule.Builder builder =
        Schedule.named("nightly")
            .runs(TaskType.of("report::make", String.class), "daily")
            .cron(expression);

    assertThatThrownBy(builder::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Cron expression '%s' is not valid".formatted(expression))
        .hasMessageContaining("five fields");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0 3 * *", "0 25 * * *", "often", "* * * * * * *", "0 0 * * FUNDAY"})
  void anInvalidCronExpressionIsRejectedWithTheRemedy(String expression) {
    assertThatThrownBy(() -> cron(expression, BERLIN))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + expression + "'")
        .hasMessageContaining("five fields");
  }

  @Test
  void aTimeInTheHourSkippedInSpringIsDueWhenThatHourWouldHaveStarted() {
    DueTimes halfPastTwo = cron("30 2 * * *", BERLIN);

    assertThat(next(halfPastTwo, Instant.parse("2026-03-28T12:00:00Z"), 2))
        .containsExactly("2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z");
  }

  @Test
  void severalTimesInTheSkippedHourAreDueOnce() {
    assertThat(next(cron("0,20,40 2 * * *", BERLIN), Instant.parse("2026-03-28T12:00:00Z"), 2))
        .containsExactly("2026-03-29T01:00:00Z", "2026-03-30T00:00:00Z");
  }

  @Test
  void aTimeInTheHourRepeatedInAutumnIsDueOnce() {
    DueTimes halfPastTwo = cron("30 2 * * *", BERLIN);

    assertThat(next(halfPastTwo, Instant.parse("2026-10-24T12:00:00Z"), 2))
        .containsExactly("2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z");
    assertThat(halfPastTwo.after(Instant.parse("2026-10-25T01:10:00Z")))
        .contains(Instant.parse("2026-10-26T01:30:00Z"));
  }

  @Test
  void hourlyTimesFollowElapsedTimeWhenClocksChange() {
    DueTimes hourly = cron("30 * * * *", BERLIN);

    assertThat(next(hourly, Instant.parse("2026-03-29T00:00:00Z"), 3))
        .containsExactly("2026-03-29T00:30:00Z", "2026-03-29T01:30:00Z", "2026-03-29T02:30:00Z");
    assertThat(next(hourly, Instant.parse("2026-10-25T00:00:00Z"), 3))
        .containsExactly("2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-25T02:30:00Z");
    assertThat(next(cron("0 * * * *", BERLIN), Instant.parse("2026-10-24T23:30:00Z"), 3))
        .containsExactly("2026-10-25T00:00:00Z", "2026-10-25T01:00:00Z", "2026-10-25T02:00:00Z");
  }

  @ParameterizedTest
  @ValueSource(strings = {"*", "*/1", "0/1", "0-23", "0-23/1"})
  void everyHourCanBeWrittenInSeveralWays(String hours) {
    assertThat(
            next(cron("30 " + hours + " * * *", BERLIN), Instant.parse("2026-10-25T00:00:00Z"), 2))
        .containsExactly("2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z");
  }

  @Test
  void anIntervalCountsFromItsAnchor() {
    DueTimes times = DueTimes.of(every(Duration.ofMinutes(7), null, null), NOON);

    assertThat(next(times, NOON, 2))
        .containsExactly("2026-06-01T12:07:00Z", "2026-06-01T12:14:00Z");
    assertThat(times.after(NOON.plusSeconds(421))).contains(Instant.parse("2026-06-01T12:14:00Z"));
  }

  @Test
  void startAndEndLimitTheDueTimes() {
    Instant from = NOON.plusSeconds(3600);
    DueTimes times = DueTimes.of(every(Duration.ofMinutes(10), from, from.plusSeconds(1200)), from);

    assertThat(next(times, NOON, 3))
        .containsExactly("2026-06-01T13:00:00Z", "2026-06-01T13:10:00Z", "2026-06-01T13:20:00Z");
    assertThat(times.after(from.plusSeconds(1200))).isEmpty();
  }

  @Test
  void theLatestDueTimesAreFoundWithoutIteratingOverAll() {
    DueTimes everySecond = cron("* * * * * *", ZoneId.of("UTC"));
    Instant longAgo = NOON.minus(Duration.ofDays(3650));

    assertThat(everySecond.latest(longAgo, NOON, 2)).containsExactly(NOON.minusSeconds(1), NOON);
    assertThat(everySecond.latest(NOON, NOON, 5)).containsExactly(NOON);
  }

  @Test
  void anImpossibleDateIsNeverDue() {
    assertThat(cron("0 0 30 2 *", BERLIN).after(NOON)).isEmpty();
  }

  @Test
  void jitterIsTheSameOnEveryNodeAndSpread() {
    Duration most = Duration.ofMinutes(10);
    List<Duration> drawn =
        IntStream.range(0, 200).mapToObj(i -> Jitter.of("nightly-" + i, NOON, most)).toList();

    assertThat(Jitter.of("nightly-1", NOON, most)).isEqualTo(drawn.get(1));
    assertThat(drawn).allMatch(d -> !d.isNegative() && d.compareTo(most) <= 0);
    assertThat(drawn).anyMatch(d -> d.toMinutes() < 2).anyMatch(d -> d.toMinutes() >= 8);
    assertThat(Jitter.of("nightly", NOON, Duration.ZERO)).isZero();
  }

  @Test
  void localTimesAreThoseOfTheZone() {
    assertThat(cron("0 3 * * *", BERLIN).after(NOON).orElseThrow().atZone(BERLIN).toLocalDateTime())
        .isEqualTo(LocalDateTime.of(2026, 6, 2, 3, 0));
  }
}
