package dev.holdfast.tck.simulation;

import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Virtual time and its scheduled events. Events of the same instant run in the order in which they
 * were scheduled.
 */
final class Timeline {
  private record Event(long at, long number, Runnable action) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      return at != other.at ? Long.compare(at, other.at) : Long.compare(number, other.number);
    }
  }

  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private long now;
  private long lastNumber;
  private @Nullable SimulatedThread running;

  /** Returns the nanoseconds since the start. */
  long now() {
    return now;
  }

  /** Schedules an action for this time, or for now if that time has passed. */
  void at(long nanos, Runnable action) {
    events.add(new Event(Math.max(nanos, now), ++lastNumber, action));
  }

  /**
   * Runs the next event.
   *
   * @return false if there is none
   */
  boolean step() {
    Event next = events.poll();
    if (next == null) {
      return false;
    }
    now = next.at;
    next.action.run();
    return true;
  }

  /** Returns the simulated thread that runs now. */
  SimulatedThread running() {
    SimulatedThread thread = running;
    if (thread == null) {
      throw new IllegalStateException("Only a simulated thread can wait for something");
    }
    return thread;
  }

  void runs(@Nullable SimulatedThread thread) {
    running = thread;
  }
}
