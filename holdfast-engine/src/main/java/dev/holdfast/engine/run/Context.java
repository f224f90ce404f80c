package dev.holdfast.engine.run;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.run.TaskContext;
import dev.holdfast.engine.held.HeldJob;
import dev.holdfast.engine.time.Ticker;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.CancellationException;

/** The context that a handler receives for its job. */
record Context(HeldJob heldJob, String node, Ticker ticker) implements TaskContext {

  @Override
  public JobId jobId() {
    return heldJob.job().id();
  }

  @Override
  public String task() {
    return heldJob.job().task();
  }

  @Override
  public String queue() {
    return heldJob.job().queue();
  }

  @Override
  public int attempt() {
    return heldJob.job().attempt();
  }

  @Override
  public long fencingToken() {
    return heldJob.job().token();
  }

  @Override
  public Set<String> tags() {
    return heldJob.job().tags();
  }

  @Override
  public Instant createdAt() {
    return heldJob.job().createdAt();
  }

  @Override
  public void heartbeat() {
    if (isStopping()) {
      throw new CancellationException(
          "Job %s was told to stop: end this attempt, its result is not stored."
              .formatted(jobId()));
    }
    if (heldJob.policy().heartbeatTimeout() != null) {
      heldJob.sign(ticker.now());
    }
  }

  @Override
  public boolean isStopping() {
    return heldJob.stopReason() != null || heldJob.tenure().isOver();
  }
}
