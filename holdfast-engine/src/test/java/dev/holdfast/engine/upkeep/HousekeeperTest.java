package dev.holdfast.engine.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.meter.RoleSpans;
import dev.holdfast.engine.store.Upkeep;
import dev.holdfast.engine.store.Upkeep.Retention;
import dev.holdfast.engine.time.Moment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class HousekeeperTest {
  private static final Retention TWO_DAYS = new Retention(Duration.ofDays(2), Duration.ofDays(2));
  private static final Retention ONE_DAY = new Retention(Duration.ofDays(1), Duration.ofDays(1));

  @Test
  void aChangedRetentionAppliesFromTheNextRound() {
    List<Retention> applied = new ArrayList<>();
    AtomicReference<Retention> setting = new AtomicReference<>(TWO_DAYS);
    Moment start = new Moment(0);
    Upkeep upkeep =
        retention -> {
          applied.add(retention);
          return new Upkeep.Report(0, 0, 0, false);
        };
    Housekeeper housekeeper =
        new Housekeeper(
            upkeep, setting::get, new Random(1), () -> start, RoleSpans.NONE, Duration.ZERO);

    Moment next = housekeeper.tick(start);
    setting.set(ONE_DAY);
    housekeeper.tick(next);

    assertThat(applied).containsExactly(TWO_DAYS, ONE_DAY);
  }
}
