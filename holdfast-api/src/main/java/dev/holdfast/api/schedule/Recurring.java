package dev.holdfast.api.schedule;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Declares on the class of a task's handler that the task recurs. A node that is given the handler
 * registers the schedule; when no live node of its application declares it any more, it is
 * cancelled.
 *
 * <pre>{@code
 * @Recurring(id = "nightly-report", cron = "0 3 * * *", zone = "Europe/Berlin")
 * final class ReportHandler implements TaskHandler<Report, Void> { … }
 * }</pre>
 *
 * <p>Give either {@link #cron} or {@link #every}. What is left out defaults as in {@link
 * Schedule.Builder}.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@Repeatable(Recurring.Several.class)
public @interface Recurring {

  /** The business key of the schedule. */
  String id();

  /** A cron expression of five fields, or six with seconds in front. */
  String cron() default "";

  /** An interval as ISO-8601 text, such as PT5M. */
  String every() default "";

  /** On whose clocks the cron expression is read. */
  String zone() default "UTC";

  /** What to hand the task, as the text that its codec reads: JSON by default. */
  String payload() default "{}";

  /** SKIP, FIRE_ONCE or CATCH_UP(n). */
  String misfire() default "FIRE_ONCE";

  /** Whether its jobs may overlap. */
  Overlap overlap() default Overlap.SKIP;

  /** The most by which a job may be later than its due time, as ISO-8601 text. */
  String jitter() default "PT0S";

  /** Not due before this, as ISO-8601 text such as 2027-01-01T00:00:00Z. */
  String from() default "";

  /** Not due after this, as ISO-8601 text. */
  String until() default "";

  /** The queue of its jobs; the task's own if left out. */
  String queue() default "";

  /** The priority of its jobs, 0 to 9; the task's own if left out. */
  int priority() default -1;

  /** Words to find the schedule and its jobs by; the task's own if left out. */
  String[] tags() default {};

  /** Several schedules of one task. */
  @Documented
  @Retention(RetentionPolicy.RUNTIME)
  @Target(ElementType.TYPE)
  @interface Several {
    Recurring[] value();
  }
}
