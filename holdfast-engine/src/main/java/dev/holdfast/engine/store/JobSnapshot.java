package dev.holdfast.engine.store;

import dev.holdfast.api.job.FailedAttempt;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.JobLogLine;
import dev.holdfast.api.job.JobProgress;
import dev.holdfast.api.job.JobState;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A {@link Job} as a store read it. */
public record JobSnapshot(
    JobId id,
    String task,
    String queue,
    JobState state,
    int priority,
    @Nullable String payload,
    @Nullable String result,
    Set<String> tags,
    @Nullable String uniqueKey,
    int attempt,
    long fencingToken,
    @Nullable String node,
    @Nullable String stack,
    @Nullable String source,
    @Nullable JobId parent,
    @Nullable JobProgress progress,
    List<JobLogLine> log,
    boolean cancelRequested,
    Instant createdAt,
    Instant runAt,
    @Nullable Instant startBy,
    @Nullable Instant startedAt,
    @Nullable Instant endedAt,
    List<FailedAttempt> failures,
    @Nullable UUID run)
    implements Job {
  public JobSnapshot {
    tags = Set.copyOf(tags);
    failures = List.copyOf(failures);
    log = List.copyOf(log);
  }
}
