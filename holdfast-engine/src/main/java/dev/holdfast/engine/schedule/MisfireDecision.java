package dev.holdfast.engine.schedule;

import dev.holdfast.api.schedule.Misfire;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Decides which due times are fired: a pure function. */
final class MisfireDecision {
  /** A due time that is older than this counts as missed, even if it is the latest. */
  static final Duration LATE = Duration.ofMinutes(1);

  private MisfireDecision() {}

  /** Returns how many of the latest due times the decision depends on. */
  static int relevant(Misfire policy) {
    return policy instanceof Misfire.CatchUp(int max) ? max + 1 : 1;
  }

  /**
   * Returns the due times to fire, oldest first.
   *
   * @param due the latest due times that have come and were not settled, oldest first
   */
  static List<Instant> toFire(List<Instant> due, Misfire policy, Instant now) {
    if (due.isEmpty()) {
      return List.of();
    }
    Instant latest = due.getLast();
    boolean inTime = !latest.isBefore(now.minus(LATE));
    return switch (policy) {
      case Misfire.Skip() -> inTime ? List.of(latest) : List.of();
      case Misfire.FireOnce() -> List.of(latest);
      case Misfire.CatchUp(int max) -> {
        List<Instant> missed = inTime ? due.subList(0, due.size() - 1) : due;
        List<Instant> fire =
            new ArrayList<>(missed.subList(Math.max(0, missed.size() - max), missed.size()));
        if (inTime) {
          fire.add(latest);
        }
        yield List.copyOf(fire);
      }
    };
  }
}
