package dev.holdfast.api.job;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A job in any state: a snapshot of what the database contained when it was read.
 *
 * <p>Holdfast implements this interface, and later versions may add methods to it.
 */
public interface Job {
  /** Returns its id. */
  JobId id();

  /** Returns the name of the task it runs. */
  String task();

  /** Returns its queue. */
  String queue();

  /** Returns its state. */
  JobState state();

  /** Returns its priority, 0 to 9; 9 is the most urgent. */
  int priority();

  /** Returns the encoded payload; null if there is none. */
  @Nullable String payload();

  /**
   * Returns the encoded result of a successful job; null if there is none or it is no longer kept.
   */
  @Nullable String result();

  /** Returns its tags. */
  Set<String> tags();

  /** Returns its unique key; null for none. */
  @Nullable String uniqueKey();

  /** Returns how many attempts were started. */
  int attempt();

  /** Returns the fencing token of its latest claim; 0 before the first. */
  long fencingToken();

  /** Returns the id of the node that holds it or held it last; null if it was never claimed. */
  @Nullable String node();

  /** Returns the stack whose nodes run it; null for any. */
  @Nullable String stack();

  /**
   * Returns the id of the node that created it for other nodes to run, because of its mode or by
   * firing a schedule; null otherwise.
   */
  @Nullable String source();

  /** Returns the id of the job whose handler enqueued it; null if it was enqueued otherwise. */
  @Nullable JobId parent();

  /** Returns the progress that its handler reported last; null if it reported none. */
  @Nullable JobProgress progress();

  /**
   * Returns the last lines that its handler logged, oldest first; none unless the nodes that ran it
   * are configured to keep them.
   */
  List<JobLogLine> log();

  /** Returns whether cancellation was requested while it was running. */
  boolean cancelRequested();

  /** Returns when it was enqueued. */
  Instant createdAt();

  /** Returns when it became or becomes due. */
  Instant runAt();

  /** Returns when it expires if it has not started; null for never. */
  @Nullable Instant startBy();

  /** Returns when its latest attempt started; null before the first. */
  @Nullable Instant startedAt();

  /** Returns when it ended; null if it has not. */
  @Nullable Instant endedAt();

  /** Returns its failed attempts, oldest first. */
  List<FailedAttempt> failures();

  /** Returns the id of the workflow run whose step it executes; null if it belongs to no run. */
  @Nullable UUID run();

  /** Returns the latest failed attempt; empty if no attempt has failed. */
  default Optional<FailedAttempt> lastFailure() {
    List<FailedAttempt> all = failures();
    return all.isEmpty() ? Optional.empty() : Optional.of(all.get(all.size() - 1));
  }
}
