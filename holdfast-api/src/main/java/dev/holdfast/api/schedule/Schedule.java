package dev.holdfast.api.schedule;

import dev.holdfast.api.internal.Names;
import dev.holdfast.api.job.JobOptions;
import dev.holdfast.api.job.When;
import dev.holdfast.api.task.TaskType;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.ServiceLoader;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A request to run a task at recurring times.
 *
 * <pre>{@code
 * Schedule nightly =
 *     Schedule.named("nightly-report")
 *         .runs(REPORT, new Report("daily"))
 *         .cron("0 3 * * *", "Europe/Berlin")
 *         .tags("reports")
 *         .build();
 * }</pre>
 *
 * @param id the id, 1 to 200 characters; storing a schedule with the id of an existing one changes
 *     that one
 * @param type the task to run
 * @param payload the payload of its jobs
 * @param recurrence when it is due
 * @param options how its jobs are run; the tags are also those of the schedule
 */
public record Schedule(
    String id, TaskType<?, ?> type, Object payload, Recurrence recurrence, JobOptions options) {

  private static final int LONGEST_ID = 200;

  private static final List<CronSyntax> CRON_SYNTAX =
      ServiceLoader.load(CronSyntax.class, CronSyntax.class.getClassLoader()).stream()
          .map(ServiceLoader.Provider::get)
          .toList();

  /**
   * Checks the schedule.
   *
   * @throws IllegalArgumentException if the id or the cron expression is not valid, or the options
   *     contain a unique key or a delay
   */
  public Schedule {
    checkId(id);
    if (recurrence.timing() instanceof Timing.Cron cron) {
      CRON_SYNTAX.forEach(syntax -> syntax.check(cron));
    }
    if (options.unique() != null) {
      throw new IllegalArgumentException(
          "Schedule '%s' cannot give its jobs the unique key '%s', because it generates their keys: remove the key, and use overlap(...) to control whether jobs overlap."
              .formatted(id, options.unique().value()));
    }
    if (!(options.when() instanceof When.Now)) {
      throw new IllegalArgumentException(
          "Schedule '%s' cannot delay its jobs, because its timing defines when they are due: use jitter(...), or another timing."
              .formatted(id));
    }
  }

  /**
   * Checks the id of a schedule.
   *
   * @return the id
   * @throws IllegalArgumentException if it is not valid
   */
  public static String checkId(String id) {
    if (id.length() > LONGEST_ID) {
      throw new IllegalArgumentException(
          "Schedule id '%s' is too long: give at most %d characters.".formatted(id, LONGEST_ID));
    }
    return Names.text("Schedule id", id);
  }

  /**
   * Starts to build a schedule.
   *
   * @param id the id, 1 to 200 characters
   */
  public static Named named(String id) {
    return new Named(checkId(id));
  }

  /**
   * The first step of building a schedule: it has an id, and needs a task.
   *
   * @param id the id
   */
  public record Named(String id) {

    /** Sets the task to run and the payload of its jobs. */
    public <P> Work runs(TaskType<P, ?> type, P payload) {
      return new Work(id, type, payload);
    }
  }

  /**
   * The second step of building a schedule: it has a task, and needs a timing.
   *
   * @param id the id
   * @param type the task to run
   * @param payload the payload of its jobs
   */
  public record Work(String id, TaskType<?, ?> type, Object payload) {

    /**
     * Sets a cron expression, evaluated in UTC.
     *
     * @param expression five fields (minute, hour, day of month, month, day of week), or six with
     *     seconds in front
     */
    public Builder cron(String expression) {
      return at(new Timing.Cron(expression, ZoneOffset.UTC));
    }

    /**
     * Sets a cron expression, evaluated in a time zone such as {@code Europe/Berlin}.
     *
     * @param expression five fields (minute, hour, day of month, month, day of week), or six with
     *     seconds in front
     */
    public Builder cron(String expression, String zone) {
      return cron(expression, Timing.zone(zone));
    }

    /**
     * Sets a cron expression, evaluated in a time zone.
     *
     * @param expression five fields (minute, hour, day of month, month, day of week), or six with
     *     seconds in front
     */
    public Builder cron(String expression, ZoneId zone) {
      return at(new Timing.Cron(expression, zone));
    }

    /**
     * Sets an interval, counted from {@link Builder#from} or, without it, from the creation of the
     * schedule.
     *
     * @param interval 1 millisecond to 3650 days
     */
    public Builder every(Duration interval) {
      return at(new Timing.Every(interval));
    }

    /** Sets the timing. */
    public Builder at(Timing timing) {
      return new Builder(this, timing);
    }
  }

  /** The last step of building a schedule: everything that has a default. */
  public static final class Builder {
    private final Work work;
    private final Timing timing;
    private Misfire misfire = Misfire.FIRE_ONCE;
    private Overlap overlap = Overlap.SKIP;
    private Duration jitter = Duration.ZERO;
    private @Nullable Instant from;
    private @Nullable Instant until;
    private JobOptions options;

    private Builder(Work work, Timing timing) {
      this.work = work;
      this.timing = timing;
      this.options = work.type().defaults();
    }

    /**
     * Sets what happens to due times that were missed because no node was running. {@link
     * Misfire#SKIP} loses them, {@link Misfire#catchUp} can create many jobs at once. Defaults to
     * {@link Misfire#FIRE_ONCE}.
     */
    public Builder misfire(Misfire policy) {
      this.misfire = policy;
      return this;
    }

    /**
     * Sets what happens at a due time while an earlier job of the schedule has not ended. {@link
     * Overlap#ALLOW} runs jobs concurrently, {@link Overlap#QUEUE} runs one more job after the
     * current one. Defaults to {@link Overlap#SKIP}.
     */
    public Builder overlap(Overlap rule) {
      this.overlap = rule;
      return this;
    }

    /**
     * Sets by how much a job may become ready later than its due time. It prevents schedules with
     * the same due time from starting all at once, at the price of punctuality. The delay is always
     * the same for a schedule and due time. Defaults to zero.
     *
     * @param most zero to one day
     */
    public Builder jitter(Duration most) {
      this.jitter = most;
      return this;
    }

    /** Sets the earliest due time; intervals are counted from it. Defaults to no bound. */
    public Builder from(Instant start) {
      this.from = start;
      return this;
    }

    /**
     * Sets the latest due time. A schedule created by a client is deleted when this time is longer
     * ago than history is kept. Defaults to no bound.
     */
    public Builder until(Instant end) {
      this.until = end;
      return this;
    }

    /** Sets the queue of the jobs. Defaults to the queue of the task. */
    public Builder queue(String name) {
      return options(changes -> changes.queue(name));
    }

    /**
     * Sets the priority of the jobs, 0 (least urgent) to 9 (most urgent). Defaults to the priority
     * of the task.
     */
    public Builder priority(int level) {
      return options(changes -> changes.priority(level));
    }

    /**
     * Sets the tags of the schedule and its jobs, replacing those of the task. Jobs also get the
     * tag {@code schedule:ID}. Defaults to the tags of the task.
     */
    public Builder tags(String... words) {
      return options(changes -> changes.tags(words));
    }

    /**
     * Changes the options of the jobs. A unique key or a delay is refused by {@link #build}.
     * Defaults to the options of the task.
     */
    public Builder options(Consumer<JobOptions.Builder> changes) {
      this.options = options.with(changes);
      return this;
    }

    /**
     * Builds the schedule.
     *
     * @throws IllegalArgumentException if the cron expression is not valid, or settings contradict
     *     each other
     */
    public Schedule build() {
      return new Schedule(
          work.id(),
          work.type(),
          work.payload(),
          new Recurrence(timing, misfire, overlap, jitter, from, until),
          options);
    }
  }
}
