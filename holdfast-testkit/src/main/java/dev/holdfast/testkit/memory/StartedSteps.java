package dev.holdfast.testkit.memory;

import dev.holdfast.api.job.JobState;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.QueueStore;
import dev.holdfast.engine.store.RunPlan;
import dev.holdfast.engine.store.StartHere;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Starts new jobs of steps at once, for a node that has slots for them. */
final class StartedSteps {
  private final Tables tables;

  StartedSteps(Tables tables) {
    this.tables = tables;
  }

  /** Starts those of the jobs that may start here, and returns them as a claim would. */
  List<ClaimedJob> start(List<RunPlan.Job> jobs, StartHere here, Instant now) {
    List<ClaimedJob> started = new ArrayList<>();
    NodeRow node = here.incarnation() == null ? null : tables.nodes.get(here.incarnation());
    for (RunPlan.Job planned : jobs) {
      JobRow row = tables.live.get(planned.job().id());
      if (node != null && row != null && here.jobs().contains(row.id) && mayStart(node, row)) {
        tables.hold(row, node, here.claimNo());
        tables.start(row, now);
        started.add(MemoryClaims.claimedJob(row, true, row.attempt, now));
      }
    }
    return started;
  }

  /** Returns whether a claim would take this job without checking limits and breakers. */
  private boolean mayStart(NodeRow node, JobRow row) {
    QueueStore.Rule rule = tables.rule(row.queue);
    return node.alive
        && row.state == JobState.READY
        && !rule.paused()
        && rule.limit() == null
        && !tables.taskRule(row.task).isBarred();
  }
}
