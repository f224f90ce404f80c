package dev.holdfast.api.schedule;

/**
 * Checks cron expressions. The engine provides an implementation as a service, so that a schedule
 * is checked when it is built, by the parser that later computes its due times. If the engine is
 * not on the class path, the expression is checked when the schedule is stored.
 */
public interface CronSyntax {

  /**
   * Checks a cron expression.
   *
   * @throws IllegalArgumentException if it is not valid; the message names the expression and the
   *     remedy
   */
  void check(Timing.Cron cron);
}
