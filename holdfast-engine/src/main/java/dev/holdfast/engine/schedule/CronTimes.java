package dev.holdfast.engine.schedule;

import com.cronutils.model.definition.CronDefinition;
import com.cronutils.model.definition.CronDefinitionBuilder;
import com.cronutils.model.time.ExecutionTime;
import com.cronutils.parser.CronParser;
import dev.holdfast.api.schedule.Timing;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The due times of a cron expression in a time zone; the only class that uses the cron parser.
 *
 * <p>The parser computes local times only, and the time zone is applied here, so that this class
 * decides what happens when clocks change. An expression for every hour follows elapsed time: it is
 * due in both passes of a repeated hour, and not in a skipped hour. Any other expression means a
 * wall-clock time: in a skipped hour it is due when that hour would have started, and in a repeated
 * hour it is due in the first pass only.
 */
final class CronTimes {
  private static final int FIELDS_WITHOUT_SECONDS = 5;
  private static final int HOUR = 2;
  private static final Pattern EVERY_HOUR = Pattern.compile("(\\*|0-23)(/1)?|0/1");
  private static final CronParser PARSER = new CronParser(definition());

  private final ExecutionTime local;
  private final ZoneId zone;
  private final boolean everyHour;

  private CronTimes(ExecutionTime local, ZoneId zone, boolean everyHour) {
    this.local = local;
    this.zone = zone;
    this.everyHour = everyHour;
  }

  /**
   * Parses an expression.
   *
   * @throws IllegalArgumentException if it is not valid; the message names it and shows a valid one
   */
  static CronTimes of(Timing.Cron cron) {
    List<String> fields = new ArrayList<>(List.of(cron.expression().strip().split("\\s+", -1)));
    if (fields.size() == FIELDS_WITHOUT_SECONDS) {
      fields.addFirst("0");
    }
    try {
      ExecutionTime times =
          ExecutionTime.forCron(PARSER.parse(String.join(" ", fields)).validate());
      return new CronTimes(times, cron.zone(), EVERY_HOUR.matcher(fields.get(HOUR)).matches());
    } catch (IllegalArgumentException wrong) {
      throw new IllegalArgumentException(
          "Cron expression '%s' is not valid (%s): use five fields (minute, hour, day of month, month, day of week) such as 0 3 * * *, or six with seconds in front."
              .formatted(cron.expression(), wrong.getMessage()),
          wrong);
    }
  }

  private static CronDefinition definition() {
    return CronDefinitionBuilder.defineCron()
        .withSeconds()
        .withValidRange(0, 59)
        .and()
        .withMinutes()
        .withValidRange(0, 59)
        .and()
        .withHours()
        .withValidRange(0, 23)
        .and()
        .withDayOfMonth()
        .withValidRange(1, 31)
        .supportsL()
        .supportsW()
        .supportsLW()
        .supportsQuestionMark()
        .and()
        .withMonth()
        .withValidRange(1, 12)
        .and()
        .withDayOfWeek()
        .withValidRange(0, 7)
        .withMondayDoWValue(1)
        .withIntMapping(7, 0)
        .supportsHash()
        .supportsL()
        .supportsQuestionMark()
        .and()
        .instance();
  }

  /** Returns the first due time after the given one; empty if there is none. */
  Optional<Instant> after(Instant time) {
    return everyHour ? elapsed(time) : onTheClock(time);
  }

  private Optional<Instant> elapsed(Instant time) {
    ZoneRules rules = zone.getRules();
    ZoneOffset offset = rules.getOffset(time);
    Optional<LocalDateTime> next = localAfter(LocalDateTime.ofInstant(time, offset));
    ZoneOffsetTransition change = rules.nextTransition(time);
    while (next.isPresent()
        && change != null
        && !next.get().toInstant(offset).isBefore(change.getInstant())) {
      offset = change.getOffsetAfter();
      next = localAfter(change.getDateTimeAfter().minusSeconds(1));
      change = rules.nextTransition(change.getInstant());
    }
    ZoneOffset valid = offset;
    return next.map(found -> found.toInstant(valid));
  }

  private Optional<Instant> onTheClock(Instant time) {
    Optional<LocalDateTime> next = localAfter(LocalDateTime.ofInstant(time, zone));
    while (next.isPresent() && !toInstant(next.get()).isAfter(time)) {
      next = localAfter(next.get()); // Due in the first pass of a repeated hour.
    }
    return next.map(this::toInstant);
  }

  private Instant toInstant(LocalDateTime onTheClock) {
    ZoneOffsetTransition change = zone.getRules().getTransition(onTheClock);
    return change != null && change.isGap()
        ? change.getInstant()
        : onTheClock.atZone(zone).toInstant();
  }

  private Optional<LocalDateTime> localAfter(LocalDateTime time) {
    return local
        .nextExecution(time.truncatedTo(ChronoUnit.SECONDS).atZone(ZoneOffset.UTC))
        .map(found -> found.toLocalDateTime());
  }
}
