package dev.holdfast.api.job;

import dev.holdfast.api.internal.Names;
import dev.holdfast.api.internal.Times;
import dev.holdfast.api.policy.CrashPolicy;
import dev.holdfast.api.policy.RetryPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How a job is run. A task type defines the defaults of its jobs, and an enqueue can override each
 * of them.
 *
 * @param queue the queue of the job
 * @param priority 0 to 9; 9 is the most urgent
 * @param when when the job becomes due
 * @param unique a key that prevents duplicates; null for none
 * @param tags tags to find the job by, at most 16
 * @param retry when and how often it is retried; null for the policy of the task type that its
 *     handler is registered with or, if that has none, {@link RetryPolicy#DEFAULT}
 * @param timeout how long an attempt may take; null for no limit
 * @param heartbeatTimeout how long an attempt may run without a call of {@link
 *     dev.holdfast.api.run.TaskContext#heartbeat}; null for no limit
 * @param startWithin how long after it became due the job may still start; null for no limit
 * @param keepResult how long the result is kept; null for as long as the history, zero for not at
 *     all
 * @param crash what happens to the job if its node dies while it is running; null for {@link
 *     CrashPolicy#DEFAULT}
 */
public record JobOptions(
    String queue,
    int priority,
    When when,
    @Nullable UniqueKey unique,
    Set<String> tags,
    @Nullable RetryPolicy retry,
    @Nullable Duration timeout,
    @Nullable Duration heartbeatTimeout,
    @Nullable Duration startWithin,
    @Nullable Duration keepResult,
    @Nullable CrashPolicy crash) {

  /** The queue of jobs that name no other. */
  public static final String DEFAULT_QUEUE = "default";

  /**
   * The defaults of a task type that sets no options: due immediately, in the queue {@code
   * default}, with priority 4.
   */
  public static final JobOptions DEFAULTS =
      new JobOptions(
          DEFAULT_QUEUE, 4, When.NOW, null, Set.of(), null, null, null, null, null, null);

  private static final int MOST_TAGS = 16;

  /**
   * Checks the options.
   *
   * @throws IllegalArgumentException if a value is not valid; the message names the value and the
   *     remedy
   */
  public JobOptions {
    Names.queue(queue);
    if (priority < 0 || priority > 9) {
      throw new IllegalArgumentException(
          "Priority %d is not valid: give 0 (least urgent) to 9 (most urgent)."
              .formatted(priority));
    }
    if (tags.size() > MOST_TAGS) {
      throw new IllegalArgumentException(
          "%d tags are too many: give at most %d.".formatted(tags.size(), MOST_TAGS));
    }
    tags.forEach(tag -> Names.text("Tag", tag));
    tags = Set.copyOf(tags);
    timeout = timeout == null ? null : Times.positive("A timeout", timeout);
    heartbeatTimeout =
        heartbeatTimeout == null ? null : Times.positive("A heartbeat timeout", heartbeatTimeout);
    startWithin = startWithin == null ? null : Times.positive("A start-within time", startWithin);
    keepResult =
        keepResult == null ? null : Times.notNegative("A time to keep a result", keepResult);
  }

  /** Returns a copy of these options with the given changes. */
  public JobOptions with(Consumer<Builder> changes) {
    Builder builder = new Builder(this);
    changes.accept(builder);
    return builder.build();
  }

  /**
   * Changes options. An option whose method is not called keeps its value. The defaults named here
   * are those of {@link #DEFAULTS}; a task type can {@linkplain dev.holdfast.api.task.TaskType#with
   * define others} for its jobs.
   */
  public static final class Builder {
    private String queue;
    private int priority;
    private When when;
    private @Nullable UniqueKey unique;
    private Set<String> tags;
    private @Nullable RetryPolicy retry;
    private @Nullable Duration timeout;
    private @Nullable Duration heartbeatTimeout;
    private @Nullable Duration startWithin;
    private @Nullable Duration keepResult;
    private @Nullable CrashPolicy crash;

    private Builder(JobOptions from) {
      this.queue = from.queue;
      this.priority = from.priority;
      this.when = from.when;
      this.unique = from.unique;
      this.tags = from.tags;
      this.retry = from.retry;
      this.timeout = from.timeout;
      this.heartbeatTimeout = from.heartbeatTimeout;
      this.startWithin = from.startWithin;
      this.keepResult = from.keepResult;
      this.crash = from.crash;
    }

    /**
     * Sets the queue. Nodes define which queues they serve and how many jobs of each they run, so a
     * separate queue gives jobs separate capacity; a job in a queue that no live node serves waits.
     * Defaults to {@code default}.
     *
     * @param name lower-case letters, digits, {@code -} and {@code _}, at most 64 characters
     */
    public Builder queue(String name) {
      this.queue = name;
      return this;
    }

    /**
     * Sets the priority within the queue, 0 (least urgent) to 9 (most urgent). A waiting job gains
     * one level per aging time (15 minutes, unless the store is configured otherwise), so a job of
     * low priority is delayed but never starved. Defaults to 4.
     */
    public Builder priority(int level) {
      this.priority = level;
      return this;
    }

    /**
     * Makes the job due after a delay, counted by the database from the enqueue. Replaces {@link
     * #runAt}. Defaults to no delay.
     */
    public Builder runIn(Duration delay) {
      this.when = new When.After(delay);
      return this;
    }

    /**
     * Makes the job due at a point in time; a time in the past means immediately. Replaces {@link
     * #runIn}. Defaults to immediately.
     */
    public Builder runAt(Instant time) {
      this.when = new When.At(time);
      return this;
    }

    /**
     * Sets a key that prevents duplicates among the jobs of a task. Concurrent enqueues with the
     * same key wait for each other. A task type cannot have one, because all its jobs would share
     * it. Defaults to none.
     */
    public Builder unique(UniqueKey key) {
      this.unique = key;
      return this;
    }

    /**
     * Sets the tags, replacing those of the task. Defaults to none.
     *
     * @see #tags(Collection)
     */
    public Builder tags(String... words) {
      return tags(List.of(words));
    }

    /**
     * Sets the tags, replacing those of the task. Jobs can be listed, counted, retried and purged
     * by tag. Defaults to none.
     *
     * @param words at most 16 tags of 1 to 256 characters each
     */
    public Builder tags(Collection<String> words) {
      this.tags = Set.copyOf(words);
      return this;
    }

    /**
     * Sets when and how often failed attempts are retried. Rules for exception types can be set
     * only on the task type, because jobs are stored without class names; an enqueue that adds one
     * is refused. Defaults to {@link RetryPolicy#DEFAULT}: 10 attempts.
     */
    public Builder retry(RetryPolicy policy) {
      this.retry = policy;
      return this;
    }

    /**
     * Limits how long an attempt may take. A longer one is interrupted and fails as {@link
     * dev.holdfast.api.policy.FailureCode#TIMED_OUT}. Without a limit, an attempt that hangs
     * occupies its slot until its thread ends. Defaults to no limit.
     */
    public Builder timeout(Duration longest) {
      this.timeout = longest;
      return this;
    }

    /**
     * Limits how long an attempt may run without calling {@link
     * dev.holdfast.api.run.TaskContext#heartbeat}, counted from its start or its last call. A
     * silent one is interrupted and fails as {@link
     * dev.holdfast.api.policy.FailureCode#HEARTBEAT_TIMED_OUT}. This detects hanging attempts of
     * tasks whose duration is not predictable; the handler has to call the method regularly.
     * Defaults to no limit.
     */
    public Builder heartbeatTimeout(Duration longest) {
      this.heartbeatTimeout = longest;
      return this;
    }

    /**
     * Limits how long after it became due the job may start. A job that has not started by then is
     * not run, and ends {@link JobState#EXPIRED}. Use it for jobs that are worthless when late.
     * Defaults to no limit.
     */
    public Builder startWithin(Duration longest) {
      this.startWithin = longest;
      return this;
    }

    /**
     * Sets how long the result is kept after the job has succeeded. Zero stores no result, which
     * saves space if results are large and not needed. Defaults to as long as the job is kept in
     * the history.
     */
    public Builder keepResult(Duration time) {
      this.keepResult = time;
      return this;
    }

    /**
     * Sets what happens to the job if its node dies while it is running. Retrying may execute the
     * task twice; not retrying may leave it incomplete. Defaults to {@link CrashPolicy#DEFAULT}:
     * the job runs again, and is dead-lettered at its fourth crash.
     */
    public Builder onCrash(CrashPolicy policy) {
      this.crash = policy;
      return this;
    }

    private JobOptions build() {
      return new JobOptions(
          queue,
          priority,
          when,
          unique,
          tags,
          retry,
          timeout,
          heartbeatTimeout,
          startWithin,
          keepResult,
          crash);
    }
  }
}
