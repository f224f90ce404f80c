package dev.holdfast.api.job;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A job as the database had it when it was read, whatever its state.
 *
 * @param id its id
 * @param task the name of the task it runs
 * @param queue the queue it waits in
 * @param state where it stands
 * @param priority 0 to 9, 9 most urgent
 * @param payload the encoded payload, null where there is none
 * @param result the encoded result of a success, null where there is none or it is no longer kept
 * @param tags its tags
 * @param uniqueKey its unique key, if any
 * @param attempt how many attempts were begun
 * @param fencingToken the token of its latest claim; 0 before the first
 * @param node the node that holds or last held it
 * @param stack the fleet it belongs to; null for any
 * @param source the node that made it, where that is not for itself to run: one that left it to
 *     others, or that fired its schedule; null otherwise
 * @param cancelRequested whether somebody asked a running job to stop
 * @param createdAt when it was enqueued
 * @param runAt when it became or becomes due
 * @param startBy when it expires if it has not begun
 * @param startedAt when its latest attempt began
 * @param endedAt when it ended
 * @param failures its failed attempts, oldest first
 */
public record Job(
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
    boolean cancelRequested,
    Instant createdAt,
    Instant runAt,
    @Nullable Instant startBy,
    @Nullable Instant startedAt,
    @Nullable Instant endedAt,
    List<FailedAttempt> failures) {

  public Job {
    tags = Set.copyOf(tags);
    failures = List.copyOf(failures);
  }

  /** The latest failed attempt. */
  public Optional<FailedAttempt> lastFailure() {
    return failures.isEmpty() ? Optional.empty() : Optional.of(failures.get(failures.size() - 1));
  }
}
