package dev.holdfast.postgres.job;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.f4b6a3.uuid.UuidCreator;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class IdRangeTest {
  private static final Instant NOW = Instant.parse("2027-05-01T12:00:00Z");
  private static final Instant AFTER = NOW.minus(Duration.ofDays(3));
  private static final Instant BEFORE = NOW.minus(Duration.ofDays(2));
  private static final UUID RANDOM = UUID.fromString("f47ac10b-58cc-4372-a567-0e02b2c3d479");
  private static final UUID LOW = UUID.fromString("00000000-0000-4000-8000-000000000001");

  private static long containing(List<IdRange> ranges, UUID id) {
    return ranges.stream()
        .filter(range -> !range.below(id).equals(range) || range.before() == null)
        .filter(range -> !new IdRange(range.from(), next(id)).isEmpty())
        .count();
  }

  private static UUID next(UUID id) {
    return new UUID(id.getMostSignificantBits(), id.getLeastSignificantBits() + 1);
  }

  private static UUID at(Instant time) {
    return UuidCreator.getTimeOrderedEpoch(time);
  }

  @Test
  void withoutTimesAllIdsAreInOneRange() {
    assertThat(IdRange.of(null, null, NOW)).containsExactly(IdRange.ALL);
  }

  @Test
  void idsNearTheTimesAndIdsWithoutATimeAreInExactlyOneRange() {
    for (List<IdRange> ranges :
        List.of(
            IdRange.of(AFTER, BEFORE, NOW),
            IdRange.of(AFTER, null, NOW),
            IdRange.of(null, BEFORE, NOW))) {
      assertThat(containing(ranges, at(AFTER.plusSeconds(1)))).isEqualTo(1);
      assertThat(containing(ranges, at(BEFORE.minusSeconds(1)))).isEqualTo(1);
      assertThat(containing(ranges, at(AFTER.minus(Duration.ofMinutes(59))))).isEqualTo(1);
      assertThat(containing(ranges, at(BEFORE.plus(Duration.ofMinutes(59))))).isEqualTo(1);
      assertThat(containing(ranges, RANDOM)).isEqualTo(1);
      assertThat(containing(ranges, LOW)).isEqualTo(1);
    }
  }

  @Test
  void idsFarFromTheTimesAreInNone() {
    List<IdRange> ranges = IdRange.of(AFTER, BEFORE, NOW);

    assertThat(containing(ranges, at(AFTER.minus(Duration.ofMinutes(61))))).isZero();
    assertThat(containing(ranges, at(BEFORE.plus(Duration.ofMinutes(61))))).isZero();
    assertThat(containing(ranges, at(NOW))).isZero();
  }

  @Test
  void timesInTheFutureLeaveNoIdInTwoRanges() {
    Instant later = NOW.plus(Duration.ofDays(400));

    assertThat(containing(IdRange.of(null, later, NOW), at(NOW))).isEqualTo(1);
    assertThat(containing(IdRange.of(null, later, NOW), RANDOM)).isEqualTo(1);
    assertThat(containing(IdRange.of(later, null, NOW), at(later))).isEqualTo(1);
    assertThat(containing(IdRange.of(later, later.plusSeconds(1), NOW), RANDOM)).isEqualTo(1);
  }

  @Test
  void rangesDescend() {
    List<IdRange> ranges = IdRange.of(AFTER, BEFORE, NOW);

    assertThat(ranges).hasSize(3);
    assertThat(ranges.get(0).before()).isNull();
    assertThat(ranges.get(2).from()).isNull();
    assertThat(new IdRange(ranges.get(0).from(), ranges.get(1).before()).isEmpty()).isTrue();
    assertThat(new IdRange(ranges.get(1).from(), ranges.get(2).before()).isEmpty()).isTrue();
  }
}
