package dev.holdfast.engine.claim;

import dev.holdfast.engine.held.HeldJob;
import dev.holdfast.engine.held.Lane;
import dev.holdfast.engine.rule.CurrentModes;
import dev.holdfast.engine.rule.QueueRules;
import dev.holdfast.engine.rule.TaskRules;
import dev.holdfast.engine.run.Unreadable;
import dev.holdfast.engine.store.QueueStore;
import dev.holdfast.engine.time.Moment;
import java.util.List;

/**
 * What this node may claim and start at present: by the rules of queues and tasks, by its modes,
 * and by what it can read.
 */
public record ClaimRules(
    QueueRules queues, TaskRules tasks, CurrentModes modes, Unreadable unreadable) {

  QueueStore.Rule of(Lane lane) {
    return queues.of(lane.queue());
  }

  /** Returns the tasks of a lane that this node runs in its modes, and can read. */
  List<String> runnableTasks(Lane lane) {
    return lane.tasks().stream().filter(this::isRunnable).toList();
  }

  /** Returns whether this node runs a task in its modes, and can read its payloads. */
  boolean isRunnable(String task) {
    return modes.mayRun(task) && unreadable.mayClaim(task);
  }

  /** Returns whether a claimed job may be started. */
  boolean mayStart(Lane lane, HeldJob heldJob, Moment now) {
    String task = heldJob.job().task();
    return modes.mayRun(task)
        && !of(lane).paused()
        // A probe has to run: its outcome decides whether the breaker closes.
        && (heldJob.isProbe() || !tasks.isShut(task, now));
  }
}
