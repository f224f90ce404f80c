package dev.holdfast.engine.schedule;

import dev.holdfast.api.schedule.CronSyntax;
import dev.holdfast.api.schedule.Timing;

/** Checks cron expressions with the parser that computes due times. */
public final class CronCheck implements CronSyntax {

  @Override
  public void check(Timing.Cron cron) {
    CronTimes.of(cron);
  }
}
