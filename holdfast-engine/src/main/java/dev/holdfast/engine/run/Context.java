package dev.holdfast.engine.run;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.task.TaskContext;
import java.time.Instant;
import java.util.Set;

/** What a handler is told about its job. */
record Context(Holding holding, String node) implements TaskContext {

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
  public boolean isStopping() {
    return holding.stopReason() != null || holding.tenure().isOver();
  }
}
