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
 * Tracks how long heartbeat counters have not changed, as far as reads that follow each other
 * without a gap can tell.
 */
final class SilenceTracker {
  private final Duration longestGap;
  private final Map<UUID, Sighting> sightings = new HashMap<>();
  private @Nullable Moment lastContact;

  /** The value of a counter, and when it was first seen. */
  private record Sighting(long beat, Moment since) {}

  /**
   * @param longestGap the longest time between two reads that follow each other: a sweeper that was
   *     paused for longer cannot know what it missed
   */
  SilenceTracker(Duration longestGap) {
    this.longestGap = longestGap;
  }

  /**
   * Notes that a read failed: nodes whose counters did not change in the meantime may have been
   * unable to write, too.
   */
  void interrupt() {
    lastContact = null;
  }

  /**
   * Notes that the database has just executed another statement of this sweeper. Recovering many
   * jobs takes longer than the longest gap, and is not a time in which a node could not write.
   */
  void contact(Moment now) {
    if (lastContact != null) {
      lastContact = now;
    }
  }

  /**
   * Processes a read.
   *
   * @param asked the time before it was sent
   * @param replied the time after its result arrived
   * @return for each node how long it has certainly been silent
   */
  Map<UUID, Duration> look(Moment asked, Moment replied, List<Pulse> pulses) {
    if (lastContact == null || lastContact.until(asked).compareTo(longestGap) > 0) {
      sightings.clear();
    }
    lastContact = replied;
    Map<UUID, Duration> silences = new HashMap<>();
    for (Pulse pulse : pulses) {
      Sighting before = sightings.get(pulse.incarnation());
      if (before == null || before.beat != pulse.beat()) {
        sightings.put(pulse.incarnation(), new Sighting(pulse.beat(), replied));
        silences.put(pulse.incarnation(), Duration.ZERO);
      } else {
        silences.put(pulse.incarnation(), before.since.until(asked));
      }
    }
    sightings.keySet().retainAll(silences.keySet());
    return silences;
  }

  /**
   * Returns when the next node reaches one of its timeouts, if it stays silent.
   *
   * @param asked the time before the last read was sent: a timeout that had not been reached then
   *     may be by now
   * @param pulses the result of that read
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
