package dev.holdfast.engine.liveness;

import dev.holdfast.engine.store.NodeStore.Pulse;
import dev.holdfast.engine.time.Moment;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * How long beat counters have stood still, as far as one can tell from looks that follow each other
 * without a gap.
 */
final class SilenceTracker {
  private final Duration longestGap;
  private final Map<UUID, Sighting> sightings = new HashMap<>();
  private @Nullable Moment lastContact;

  /** A counter as it was first seen at some value. */
  private record Sighting(long beat, Moment since) {}

  /**
   * @param longestGap looks further apart than this do not follow each other: a sweeper that was
   *     paused cannot know what it missed
   */
  SilenceTracker(Duration longestGap) {
    this.longestGap = longestGap;
  }

  /** Note that a look failed: whatever stood still meanwhile may have had no chance to move. */
  void interrupt() {
    lastContact = null;
  }

  /**
   * Note that the database has just done something else for this sweeper. Recovering many jobs
   * takes longer than looks may be apart, and is no time in which a node could not write.
   */
  void contact(Moment now) {
    if (lastContact != null) {
      lastContact = now;
    }
  }

  /**
   * Note what a look has shown.
   *
   * @param asked from before it was sent
   * @param answered from after the answer came
   * @return for each node how long it has certainly been silent
   */
  Map<UUID, Duration> look(Moment asked, Moment answered, List<Pulse> pulses) {
    if (lastContact == null || lastContact.until(asked).compareTo(longestGap) > 0) {
      sightings.clear();
    }
    lastContact = answered;
    Map<UUID, Duration> silences = new HashMap<>();
    for (Pulse pulse : pulses) {
      Sighting before = sightings.get(pulse.incarnation());
      if (before == null || before.beat != pulse.beat()) {
        sightings.put(pulse.incarnation(), new Sighting(pulse.beat(), answered));
        silences.put(pulse.incarnation(), Duration.ZERO);
      } else {
        silences.put(pulse.incarnation(), before.since.until(asked));
      }
    }
    sightings.keySet().retainAll(silences.keySet());
    return silences;
  }

  /**
   * When the next node reaches one of its timeouts, if it stays silent.
   *
   * @param asked from before the last look was sent: what had not been reached then may be by now
   * @param pulses what it has shown
   */
  Moment nextTimeout(Moment asked, List<Pulse> pulses) {
    Moment next = Moment.NEVER;
    for (Pulse pulse : pulses) {
      Sighting sighting = sightings.get(pulse.incarnation());
      if (sighting != null) {
        for (Duration timeout : List.of(pulse.timeouts().claimed(), pulse.timeouts().running())) {
          Moment over = sighting.since.plus(timeout);
          next = asked.isBefore(over) ? next.earlier(over) : next;
        }
      }
    }
    return next;
  }
}
