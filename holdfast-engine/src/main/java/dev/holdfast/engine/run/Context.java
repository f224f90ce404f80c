package dev.holdfast.engine.run;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.task.TaskContext;
import dev.holdfast.engine.time.Ticker;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.CancellationException;

/** What a handler is told about its job. */
record Context(Holding holding, String node, Ticker ticker) implements TaskContext {

  @Override
  public JobId jobId() {
    return holding.job().id();
  }

  @Override
  public String task() {
    return holding.job().task();
  }

  @Override
  public String queue() {
    return holding.job().queue();
  }

  @Override
  public int attempt() {
    return holding.job().attempt();
  }

  @Override
  public long fencingToken() {
    return holding.job().token();
  }

  @Override
  public Set<String> tags() {
    return holding.job().tags();
  }

  @Override
  public Instant createdAt() {
    return holding.job().createdAt();
  }

  @Override
  public void heartbeat() {
    if (isStopping()) {
      throw new CancellationException(
          "Job %s was told to stop; this attempt must not go on.".formatted(jobId()));
    }
    if (holding.policy().heartbeatTimeout() != null) {
      holding.sign(ticker.now());
    }
  }

  @Override
  public boolean isStopping() {
    return holding.stopReason() != null || holding.tenure().isOver();
  }
}
