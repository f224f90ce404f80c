package dev.holdfast.engine.upkeep;

import dev.holdfast.api.StoreException;
import dev.holdfast.engine.meter.RoleSpans;
import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.store.Upkeep;
import dev.holdfast.engine.time.Moment;
import dev.holdfast.engine.time.Ticker;
import java.time.Duration;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates partitions ahead of time and deletes data past its retention, a bounded amount at a time.
 */
public final class Housekeeper implements Role {
  private static final Logger log = LoggerFactory.getLogger(Housekeeper.class);
  private static final Duration ROUND = Duration.ofHours(1);
  private static final Duration SOON = Duration.ofSeconds(1);

  private final Upkeep upkeep;
  private final Supplier<Upkeep.Retention> retention;
  private final RandomGenerator random;
  private final Ticker ticker;
  private final RoleSpans spans;
  private final Moment start;

  public Housekeeper(
      Upkeep upkeep,
      Upkeep.Retention retention,
      RandomGenerator random,
      Ticker ticker,
      RoleSpans spans) {
    this(upkeep, () -> retention, random, ticker, spans, Duration.ZERO);
  }

  /**
   * @param retention what to keep, which may change from round to round
   * @param first how long after its start the first round is
   */
  public Housekeeper(
      Upkeep upkeep,
      Supplier<Upkeep.Retention> retention,
      RandomGenerator random,
      Ticker ticker,
      RoleSpans spans,
      Duration first) {
    this.start = ticker.now().plus(first);
    this.upkeep = upkeep;
    this.retention = retention;
    this.random = random;
    this.ticker = ticker;
    this.spans = spans;
  }

  @Override
  public String name() {
    return "housekeeper";
  }

  @Override
  public Moment tick(Moment now) {
    if (now.isBefore(start)) {
      return start;
    }
    Duration next = ROUND.plusSeconds(random.nextInt(600));
    try {
      Upkeep.Report report = upkeep.tidy(retention.get());
      if (report.partitionsDropped() + report.deadLettersPurged() + report.resultsDropped() > 0) {
        log.info(
            "Deleted {} days of history, {} dead-lettered jobs and {} results past their retention",
            report.partitionsDropped(),
            report.deadLettersPurged(),
            report.resultsDropped());
        record(report, now.until(ticker.now()));
      }
      if (report.more()) {
        next = SOON;
      }
    } catch (StoreException failure) {
      log.warn("Upkeep failed, retrying in about an hour: {}", failure.getMessage());
    }
    return now.plus(next);
  }

  private void record(Upkeep.Report report, Duration took) {
    spans.worked(
        "holdfast.upkeep",
        took,
        span ->
            span.setAttribute("holdfast.partitions.dropped", report.partitionsDropped())
                .setAttribute("holdfast.dead_letters.purged", report.deadLettersPurged())
                .setAttribute("holdfast.results.dropped", report.resultsDropped()));
  }
}
