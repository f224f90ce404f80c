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
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A wish for work that recurs.
 *
 * <pre>{@code
 * Schedule nightly =
 *     Schedule.named("nightly-report").runs(REPORT, new Report("daily"))
 *         .cron("0 3 * * *", "Europe/Berlin").tags("reports").build();
 * }</pre>
 *
 * @param id its business key: whoever puts a schedule under the same id changes this one
 * @param type the task to run
 * @param payload what to hand it
 * @param recurrence when it is due
 * @param options how its jobs are run; its tags are those of the schedule, too
 */
public record Schedule(
    String id, TaskType<?, ?> type, Object payload, Recurrence recurrence, JobOptions options) {

  private static final int LONGEST_ID = 200;

  private static final List<CronSyntax> CRON_SYNTAX =
      ServiceLoader.load(CronSyntax.class, CronSyntax.class.getClassLoader()).stream()
          .map(ServiceLoader.Provider::get)
          .toList();

  public Schedule {
    checkId(id);
    if (recurrence.timing() instanceof Timing.Cron cron) {
      CRON_SYNTAX.forEach(syntax -> syntax.check(cron));
    }
    if (options.unique() != null) {
      throw new IllegalArgumentException(
          "Schedule '%s' cannot give its jobs the unique key '%s', since it gives them keys of its own: say with overlap(...) whether they may overlap."
              .formatted(id, options.unique().value()));
    }
    if (!(options.when() instanceof When.Now)) {
      throw new IllegalArgumentException(
          "Schedule '%s' cannot delay its jobs by %s, since it decides when they are due: use jitter(...), or another timing."
              .formatted(id, options.when()));
    }
  }

  /** Return the id of a schedule, or say what is wrong with it. */
  public static String checkId(String id) {
    if (id.length() > LONGEST_ID) {
      throw new IllegalArgumentException(
          "Schedule id '%s' is too long: give at most %d characters.".formatted(id, LONGEST_ID));
    }
    return Names.text("Schedule id", id);
  }

  /** Begin to describe a schedule. */
  public static Named named(String id) {
    return new Named(checkId(id));
  }

  /** A schedule that has a name and needs something to do. */
  public record Named(String id) {

    /** Say which task to run, with which payload. */
    public <P> Work runs(TaskType<P, ?> type, P payload) {
      return new Work(id, type, payload);
    }
  }

  /** A schedule that knows what to do and needs a rhythm. */
  public record Work(String id, TaskType<?, ?> type, Object payload) {

    /** Due at the times of a cron expression, in UTC. */
    public Builder cron(String expression) {
      return at(new Timing.Cron(expression, ZoneOffset.UTC));
    }

    /** Due at the times of a cron expression, on the clocks of a zone such as Europe/Berlin. */
    public Builder cron(String expression, String zone) {
      return cron(expression, Timing.zone(zone));
    }

    /** Due at the times of a cron expression, on the clocks of a zone. */
    public Builder cron(String expression, ZoneId zone) {
      return at(new Timing.Cron(expression, zone));
    }

    /** Due again and again after this time. */
    public Builder every(Duration interval) {
      return at(new Timing.Every(interval));
    }

    /** Due by this rhythm. */
    public Builder at(Timing timing) {
      return new Builder(this, timing);
    }
  }

  /** Collects what differs from the defaults. */
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

    /** What becomes of missed due times; defaults to {@link Misfire#FIRE_ONCE}. */
    public Builder misfire(Misfire policy) {
      this.misfire = policy;
      return this;
    }

    /** Whether its jobs may overlap; defaults to {@link Overlap#SKIP}. */
    public Builder overlap(Overlap rule) {
      this.overlap = rule;
      return this;
    }

    /** Let each job become ready up to so much later than its due time; defaults to zero. */
    public Builder jitter(Duration most) {
      this.jitter = most;
      return this;
    }

    /** Not due before this; an interval counts from here. */
    public Builder from(Instant start) {
      this.from = start;
      return this;
    }

    /** Not due after this. */
    public Builder until(Instant end) {
      this.until = end;
      return this;
    }

    public Builder queue(String name) {
      return options(changes -> changes.queue(name));
    }

    public Builder priority(int level) {
      return options(changes -> changes.priority(level));
    }

    /** Words to find the schedule and its jobs by. */
    public Builder tags(String... words) {
      return options(changes -> changes.tags(words));
    }

    /** Change how its jobs are run; defaults to what the task says. */
    public Builder options(UnaryOperator<JobOptions.Builder> changes) {
      this.options = options.with(changes);
      return this;
    }

    /**
     * The schedule.
     *
     * @throws IllegalArgumentException if its cron expression is not valid, or it contradicts
     *     itself
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
