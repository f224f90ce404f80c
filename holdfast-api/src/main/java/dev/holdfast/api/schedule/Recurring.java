package dev.holdfast.api.schedule;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Declares a schedule on the class of a task handler. A node that registers the handler creates the
 * schedule; when no live node of the application declares it any more, it is cancelled.
 *
 * <pre>
 * &#64;Recurring(id = "nightly-report", cron = "0 3 * * *", zone = "Europe/Berlin")
 * final class ReportHandler implements VoidTaskHandler&lt;Report&gt; {
 *   &#64;Override
 *   public void run(Report report, TaskContext context) {
 *     System.out.println(report);
 *   }
 * }
 * </pre>
 *
 * <p>Set either {@link #cron} or {@link #every}. The defaults are those of {@link
 * Schedule.Builder}.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@Repeatable(Recurring.Several.class)
public @interface Recurring {

  /** Returns the id of the schedule. */
  String id();

  /**
   * Returns the cron expression: five fields (minute, hour, day of month, month, day of week), or
   * six with seconds in front. Defaults to none.
   */
  String cron() default "";

  /** Returns the interval as an ISO-8601 duration, such as {@code PT5M}. Defaults to none. */
  String every() default "";

  /** Returns the time zone of the cron expression. Defaults to {@code UTC}. */
  String zone() default "UTC";

  /**
   * Returns the payload, encoded for the codec of the node, which is JSON unless configured
   * otherwise. Defaults to <code>{}</code>.
   */
  String payload() default "{}";

  /**
   * Returns what happens to missed due times: {@code SKIP}, {@code FIRE_ONCE} or {@code
   * CATCH_UP(n)}. Defaults to {@code FIRE_ONCE}.
   */
  String misfire() default "FIRE_ONCE";

  /** Returns whether jobs may overlap. Defaults to {@link Overlap#SKIP}. */
  Overlap overlap() default Overlap.SKIP;

  /**
   * Returns by how much a job may become ready later than its due time, as an ISO-8601 duration.
   * Defaults to zero.
   */
  String jitter() default "PT0S";

  /**
   * Returns the earliest due time in ISO-8601 format, such as {@code 2027-01-01T00:00:00Z}.
   * Defaults to no bound.
   */
  String from() default "";

  /** Returns the latest due time in ISO-8601 format. Defaults to no bound. */
  String until() default "";

  /** Returns the queue of the jobs. Defaults to the queue of the task. */
  String queue() default "";

  /** Returns the priority of the jobs, 0 to 9. Defaults to the priority of the task. */
  int priority() default -1;

  /** Returns the tags of the schedule and its jobs. Defaults to the tags of the task. */
  String[] tags() default {};

  /** Holds several schedules of one handler. */
  @Documented
  @Retention(RetentionPolicy.RUNTIME)
  @Target(ElementType.TYPE)
  @interface Several {
    /** Returns the schedules. */
    Recurring[] value();
  }
}
