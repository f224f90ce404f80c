package dev.holdfast.engine.schedule;

import dev.holdfast.api.schedule.Recurrence;
import dev.holdfast.api.schedule.Timing;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** The due times of a schedule: a pure function of its recurrence. */
public final class DueTimes {
  private static final Duration FIRST_WINDOW = Duration.ofMinutes(1);
  private static final int WIDEN = 8;

  private final Recurrence recurrence;
  private final Function<Instant, Optional<Instant>> rhythm;

  private DueTimes(Recurrence recurrence, Function<Instant, Optional<Instant>> rhythm) {
    this.recurrence = recurrence;
    this.rhythm = rhythm;
  }

  /**
   * Returns the due times of a recurrence.
   *
   * @param anchor the time from which an interval is counted
   * @throws IllegalArgumentException if its cron expression is not valid
   */
  public static DueTimes of(Recurrence recurrence, Instant anchor) {
    return switch (recurrence.timing()) {
      case Timing.Cron cron -> {
        CronTimes times = CronTimes.of(cron);
        yield new DueTimes(recurrence, times::after);
      }
      case Timing.Every(Duration interval) ->
          new DueTimes(recurrence, time -> Optional.of(anchoredAfter(anchor, interval, time)));
    };
  }

  /** Returns the first due time after the given one; empty if there is none. */
  public Optional<Instant> after(Instant time) {
    Instant from = recurrence.from();
    Instant start = from != null && time.isBefore(from) ? from.minusNanos(1) : time;
    Instant until = recurrence.until();
    return rhythm.apply(start).filter(due -> until == null || !due.isAfter(until));
  }

  /**
   * Returns the latest due times, oldest first.
   *
   * <p>After a long downtime there may be very many, of which few matter. So it searches backwards
   * in growing windows, instead of iterating over all of them.
   *
   * @param first the first due time to consider, which must be a due time
   * @param now the last moment to consider
   * @param most the maximum number of due times to return
   */
  public List<Instant> latest(Instant first, Instant now, int most) {
    Duration window = FIRST_WINDOW;
    while (true) {
      Instant start = now.minus(window);
      boolean complete = !start.isAfter(first);
      List<Instant> found = between(complete ? first.minusNanos(1) : start, now);
      if (complete || found.size() >= most) {
        return List.copyOf(found.subList(Math.max(0, found.size() - most), found.size()));
      }
      window = window.multipliedBy(WIDEN);
    }
  }

  private List<Instant> between(Instant after, Instant last) {
    List<Instant> found = new ArrayList<>();
    Optional<Instant> next = after(after);
    while (next.isPresent() && !next.get().isAfter(last)) {
      found.add(next.get());
      next = after(next.get());
    }
    return found;
  }

  private static Instant anchoredAfter(Instant anchor, Duration interval, Instant time) {
    if (time.isBefore(anchor)) {
      return anchor;
    }
    long passed = Duration.between(anchor, time).dividedBy(interval);
    return anchor.plus(interval.multipliedBy(passed + 1));
  }
}
