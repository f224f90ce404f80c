package dev.holdfast.api.schedule;

/**
 * Checks cron expressions. The engine provides it as a service, so that a schedule is checked where
 * it is built, by the parser that later computes its due times. Without the engine on the class
 * path an expression is checked when its schedule is stored.
 */
public interface CronSyntax {

  /**
   * Checks an expression.
   *
   * @throws IllegalArgumentException if it is not valid; the message names it and the remedy
   */
  void check(Timing.Cron cron);
}
