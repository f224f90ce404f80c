package dev.holdfast.api.job;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A job in any state: a snapshot of what the database contained when it was read.
 *
 * @param id its id
 * @param task the name of the task it runs
 * @param queue its queue
 * @param state its state
 * @param priority its priority, 0 to 9; 9 is the most urgent
 * @param payload the encoded payload; null if there is none
 * @param result the encoded result of a successful job; null if there is none or it is no longer
 *     kept
 * @param tags its tags
 * @param uniqueKey its unique key; null for none
 * @param attempt how many attempts were started
 * @param fencingToken the fencing token of its latest claim; 0 before the first
 * @param node the id of the node that holds it or held it last; null if it was never claimed
 * @param stack the stack whose nodes run it; null for any
 * @param source the id of the node that created it for other nodes to run, because of its mode or
 *     by firing a schedule; null otherwise
 * @param cancelRequested whether cancellation was requested while it was running
 * @param createdAt when it was enqueued
 * @param runAt when it became or becomes due
 * @param startBy when it expires if it has not started; null for never
 * @param startedAt when its latest attempt started; null before the first
 * @param endedAt when it ended; null if it has not
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

  /** Copies the collections. */
  public Job {
    tags = Set.copyOf(tags);
    failures = List.copyOf(failures);
  }

  /** Returns the latest failed attempt; empty if no attempt has failed. */
  public Optional<FailedAttempt> lastFailure() {
    return failures.isEmpty() ? Optional.empty() : Optional.of(failures.get(failures.size() - 1));
  }
}
