package dev.holdfast.engine.upkeep;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.internal.Times;
import dev.holdfast.engine.meter.RoleSpans;
import dev.holdfast.engine.notify.ClusterSize;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.notify.SignalBus;
import dev.holdfast.engine.role.Environment;
import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.role.Waker;
import dev.holdfast.engine.store.Staging;
import dev.holdfast.engine.time.Moment;
import dev.holdfast.engine.time.Ticker;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes scheduled jobs ready when they are due. It sleeps until the next one is due, and is woken
 * when an earlier one is scheduled anywhere.
 */
public final class Stager implements Role {
  private static final Logger log = LoggerFactory.getLogger(Stager.class);
  private static final int BATCH = 1_000;
  private static final Duration LONGEST_SLEEP = Duration.ofSeconds(60);
  private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);
  private static final Duration BEHIND_A_LOCK = Duration.ofMillis(100);
  private static final int MIDDLE_PRIORITY = 4;

  private final Staging staging;
  private final SignalBus bus;
  private final Ticker ticker;
  private final ClusterSize clusterSize;
  private final RandomGenerator random;
  private final RoleSpans spans;
  private Moment wanted = Moment.NEVER;
  private boolean looked;
  private boolean foundNothing;
  private final Waker waker;

  public Stager(
      Staging staging,
      SignalBus bus,
      Environment environment,
      ClusterSize clusterSize,
      RoleSpans spans,
      Waker waker) {
    this.staging = staging;
    this.bus = bus;
    this.ticker = environment.ticker();
    this.clusterSize = clusterSize;
    this.random = environment.random();
    this.spans = spans;
    this.waker = waker;
  }

  @Override
  public String name() {
    return "stager";
  }

  /**
   * Makes sure that the stager runs when this delay is over.
   *
   * @param own whether this node scheduled the job: other nodes may not know of it
   */
  public void expect(Duration delay, boolean own) {
    Moment due = ticker.now().plus(delay).plus(own ? Duration.ZERO : spread());
    boolean sooner;
    synchronized (this) {
      sooner = due.isBefore(wanted);
      wanted = wanted.earlier(due);
    }
    if (sooner) {
      waker.wake();
    }
  }

  @Override
  public Moment tick(Moment now) {
    synchronized (this) {
      if (looked && now.isBefore(wanted)) {
        return wanted; // Woken because of an earlier job, which is not due yet.
      }
      looked = true;
      wanted = Moment.NEVER;
    }
    Duration next = AFTER_FAILURE;
    try {
      next = stage();
    } catch (StoreException failure) {
      log.warn(
          "Scheduled jobs could not be staged, retrying in {}: {}",
          Times.describe(AFTER_FAILURE),
          failure.getMessage());
    } finally {
      synchronized (this) {
        // Even if something was thrown: a role that returns NEVER is not called again.
        wanted = wanted.earlier(ticker.now().plus(next));
      }
    }
    synchronized (this) {
      return wanted;
    }
  }

  /**
   * Returns a random delay: of many nodes, a few run at the moment when a job is due, and the
   * others later.
   */
  private Duration spread() {
    return ClusterSize.delay(clusterSize.nodes(), 1, random.nextDouble());
  }

  private Duration stage() {
    Moment asked = ticker.now();
    Staging.Report report = staging.stage(BATCH);
    report
        .readied()
        .forEach((queue, count) -> bus.publish(new Signal.NewWork(queue, MIDDLE_PRIORITY, count)));
    if (report.expired() > 0) {
      log.info("{} jobs expired: they had not started by their start-by time", report.expired());
      bus.publish(new Signal.RunsMarked(Duration.ZERO)); // Steps of runs may be among them.
    }
    boolean idle = report.readied().isEmpty() && report.expired() == 0;
    if (!idle) {
      record(report, asked.until(ticker.now()));
    }
    if (report.more()) {
      return Duration.ZERO;
    }
    Duration longest = bus.sleepAtMost(LONGEST_SLEEP);
    Duration next = report.next().filter(d -> d.compareTo(longest) < 0).orElse(longest);
    if (!next.isZero()) {
      next = next.plus(spread()); // Every other stager may sleep until the same moment.
    }
    boolean again = foundNothing;
    foundNothing = idle && next.isZero();
    // Another transaction has locked the due jobs, unless they have become due just now.
    return again && foundNothing ? BEHIND_A_LOCK : next;
  }

  private void record(Staging.Report report, Duration took) {
    spans.worked(
        "holdfast.stage",
        took,
        span ->
            span.setAttribute(
                    "holdfast.jobs.ready",
                    report.readied().values().stream().mapToLong(Integer::longValue).sum())
                .setAttribute("holdfast.jobs.expired", report.expired()));
  }
}
