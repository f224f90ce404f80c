package dev.holdfast.engine.rule;

import dev.holdfast.api.NodeMode;
import dev.holdfast.engine.store.Modes;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * The modes in force, and what they mean. If several overrides match a task, the longest pattern
 * wins.
 */
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

  /** Returns how often this node has changed its modes itself. */
  public synchronized int ownChanges() {
    return ownChanges;
  }

  /** Puts modes in force that this node has just stored. */
  public synchronized void choose(Modes modes) {
    state = State.of(modes);
    ownChanges++;
  }

  /**
   * Puts the stored modes in force, unless this node has changed them since it sent the query: the
   * reply may be older then, and the next one will be current.
   *
   * @param asked the number of own changes before the query was sent
   * @return whether anything has changed
   */
  public synchronized boolean hear(Modes modes, int asked) {
    if (asked != ownChanges || state.modes.equals(modes)) {
      return false;
    }
    state = State.of(modes);
    return true;
  }

  /** Returns the mode in force for a task. */
  public NodeMode of(String task) {
    State now = state;
    for (Rule exception : now.exceptions) {
      if (exception.pattern.matches(task)) {
        return exception.mode;
      }
    }
    return now.modes.node();
  }

  /** Returns whether jobs of this task run on this node. */
  public boolean mayRun(String task) {
    return of(task) == NodeMode.FULL;
  }

  /**
   * Returns whether the node makes jobs ready, fires schedules, and recovers jobs of other nodes.
   */
  public boolean isEnabled() {
    return state.modes.node() != NodeMode.DISABLED;
  }
}
