package dev.holdfast.tck.simulation;

import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.cumulative.CumulativeCounter;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.SplittableRandom;

/** A meter registry whose counters sometimes throw, as a user's registry may. */
final class BrokenMeters extends SimpleMeterRegistry {
  private final SplittableRandom random;

  BrokenMeters(SplittableRandom random) {
    super(SimpleConfig.DEFAULT, Clock.SYSTEM);
    this.random = random;
  }

  @Override
  protected Counter newCounter(Meter.Id id) {
    return new CumulativeCounter(id) {
      @Override
      public void increment(double amount) {
        if (random.nextInt(20) == 0) {
          throw new IllegalStateException("This meter is broken");
        }
        super.increment(amount);
      }
    };
  }
}
