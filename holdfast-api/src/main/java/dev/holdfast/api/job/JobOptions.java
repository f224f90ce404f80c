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
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * How a job is to be run. A task type carries the defaults of its jobs, an enqueue may override any
 * of them.
 *
 * @param queue what kind of capacity it needs; defaults to {@code default}
 * @param priority 0 to 9, 9 most urgent; a job that waits long enough overtakes higher ones
 * @param when when it becomes due; defaults to at once
 * @param unique a key that lets it exist once
 * @param tags words to find it by
 * @param retry when and how often it is tried again; null for the policy of its task's handler
 * @param timeout how long one attempt may take; null for as long as it likes
 * @param heartbeatTimeout how long one attempt may go without {@link
 *     dev.holdfast.api.task.TaskContext#heartbeat}; null for as long as it likes
 * @param startWithin how long after it is due it may still begin; null for ever
 * @param keepResult how long its result is kept; null for as long as history is, zero for not at
 *     all
 * @param crash what becomes of it when its node dies while it runs; null for {@link
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

  public static final String DEFAULT_QUEUE = "default";

  /** At once, in the default queue, with middling priority. */
  public static final JobOptions DEFAULTS =
      new JobOptions(
          DEFAULT_QUEUE, 4, When.NOW, null, Set.of(), null, null, null, null, null, null);

  private static final int MOST_TAGS = 16;

  public JobOptions {
    Names.queue(queue);
    if (priority < 0 || priority > 9) {
      throw new IllegalArgumentException(
          "Priority %d is not valid: give 0 (can wait) to 9 (most urgent).".formatted(priority));
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

  /** These options with some of them changed. */
  public JobOptions with(UnaryOperator<Builder> changes) {
    return changes.apply(new Builder(this)).build();
  }

  /** Collects changes to options; what is not called stays as it was. */
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

    public Builder queue(String name) {
      this.queue = name;
      return this;
    }

    public Builder priority(int level) {
      this.priority = level;
      return this;
    }

    /** Due after a delay, counted from the enqueue. */
    public Builder runIn(Duration delay) {
      this.when = new When.After(delay);
      return this;
    }

    /** Due at a point in time. */
    public Builder runAt(Instant time) {
      this.when = new When.At(time);
      return this;
    }

    public Builder unique(UniqueKey key) {
      this.unique = key;
      return this;
    }

    public Builder tags(String... words) {
      return tags(List.of(words));
    }

    public Builder tags(Collection<String> words) {
      this.tags = Set.copyOf(words);
      return this;
    }

    public Builder retry(RetryPolicy policy) {
      this.retry = policy;
      return this;
    }

    public Builder timeout(Duration longest) {
      this.timeout = longest;
      return this;
    }

    /**
     * Interrupt an attempt that has not called {@link dev.holdfast.api.task.TaskContext#heartbeat}
     * for this long, counted from its beginning. For tasks that take long, and of which one cannot
     * say how long, but notice when they hang.
     */
    public Builder heartbeatTimeout(Duration longest) {
      this.heartbeatTimeout = longest;
      return this;
    }

    /** Expire if it has not begun within this time of becoming due. */
    public Builder startWithin(Duration longest) {
      this.startWithin = longest;
      return this;
    }

    public Builder keepResult(Duration time) {
      this.keepResult = time;
      return this;
    }

    /** What becomes of it when its node dies while it runs. */
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
