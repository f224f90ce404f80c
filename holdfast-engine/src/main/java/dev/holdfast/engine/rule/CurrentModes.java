package dev.holdfast.engine.rule;

import dev.holdfast.api.NodeMode;
import dev.holdfast.engine.store.Modes;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** The modes in force, and what they mean. Of several exceptions for a task the longest counts. */
public final class CurrentModes {
  private volatile State state;
  private int ownChanges;

  private record Rule(TaskPattern pattern, NodeMode mode) {}

  private record State(Modes modes, List<Rule> exceptions) {
    static State of(Modes modes) {
      return new State(
          modes,
          modes.overrides().entrySet().stream()
              .sorted(
                  Comparator.comparingInt((Map.Entry<String, NodeMode> e) -> -e.getKey().length())
                      .thenComparing(Map.Entry::getKey))
              .map(e -> new Rule(TaskPattern.of(e.getKey()), e.getValue()))
              .toList());
    }
  }

  public CurrentModes(Modes modes) {
    this.state = State.of(modes);
  }

  public Modes modes() {
    return state.modes;
  }

  /** How often this node has changed its modes itself. */
  public synchronized int ownChanges() {
    return ownChanges;
  }

  /** Let other modes be in force, which this node has written down just now. */
  public synchronized void choose(Modes modes) {
    state = State.of(modes);
    ownChanges++;
  }

  /**
   * Let the modes be in force that were found written down, unless this node has changed them since
   * it asked: what was found may be older then, and the next look will tell.
   *
   * @param asked the number of own changes before the question was sent
   * @return whether anything has changed
   */
  public synchronized boolean hear(Modes modes, int asked) {
    if (asked != ownChanges || state.modes.equals(modes)) {
      return false;
    }
    state = State.of(modes);
    return true;
  }

  /** The mode in force for a task. */
  public NodeMode of(String task) {
    State now = state;
    for (Rule exception : now.exceptions) {
      if (exception.pattern.matches(task)) {
        return exception.mode;
      }
    }
    return now.modes.node();
  }

  /** Whether jobs of this task are run here. */
  public boolean mayRun(String task) {
    return of(task) == NodeMode.FULL;
  }

  /** Whether the node makes jobs ready, fires schedules, and recovers what others held. */
  public boolean isEnabled() {
    return state.modes.node() != NodeMode.DISABLED;
  }
}
