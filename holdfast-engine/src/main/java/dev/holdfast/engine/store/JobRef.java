package dev.holdfast.engine.store;

import dev.holdfast.api.job.JobId;

/** A job that a node holds, or held until just now. */
public interface JobRef {
  JobId id();

  /** The name of its task. */
  String task();

  String queue();

  /** The number of its latest attempt. */
  int attempt();
}
