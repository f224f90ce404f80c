package dev.holdfast.engine.finish;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.task.FailureCode;
import dev.holdfast.engine.live.Identity;
import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.role.Waker;
import dev.holdfast.engine.run.FinishSink;
import dev.holdfast.engine.run.Holding;
import dev.holdfast.engine.store.Claims;
import dev.holdfast.engine.store.Claims.HandBack;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.Held;
import dev.holdfast.engine.store.Outcomes;
import dev.holdfast.engine.time.Moment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes reports in groups: whatever has gathered while the last group was written makes the next.
 * So a lone report is written at once, and a flood shares its commits.
 */
public final class Completer implements Role, FinishSink {
  private static final Logger log = LoggerFactory.getLogger(Completer.class);
  private static final int LARGEST_GROUP = 1_000;
  private static final int MOST_WAITING = 10_000;
  private static final Duration FIRST_RETRY = Duration.ofMillis(100);
  private static final Duration LAST_RETRY = Duration.ofSeconds(5);

  /** A report; without a finish it asks to give the job back. */
  private static final class Report {
    final Holding holding;
    final @Nullable Finish finish;
    boolean written;

    Report(Holding holding, @Nullable Finish finish) {
      this.holding = holding;
      this.finish = finish;
    }
  }

  private final Outcomes outcomes;
  private final Claims claims;
  private final Identity identity;
  private final Receipts receipts;
  private final LinkedBlockingQueue<Report> waiting = new LinkedBlockingQueue<>(MOST_WAITING);
  private final List<Report> group = new ArrayList<>();
  private volatile Waker waker = () -> {};
  private Duration retryDelay = FIRST_RETRY;

  public Completer(Outcomes outcomes, Claims claims, Identity identity, Receipts receipts) {
    this.outcomes = outcomes;
    this.claims = claims;
    this.identity = identity;
    this.receipts = receipts;
  }

  /** Who to wake when there is something to write. */
  public void wokenBy(Waker driver) {
    this.waker = driver;
  }

  @Override
  public String name() {
    return "completer";
  }

  @Override
  public void finish(Holding holding, Finish finish) {
    offer(new Report(holding, finish));
  }

  @Override
  public void handBack(Holding holding) {
    offer(new Report(holding, null));
  }

  private void offer(Report report) {
    boolean interrupted = false;
    while (true) {
      try {
        waiting.put(report);
        break;
      } catch (InterruptedException notNow) {
        interrupted = true; // The report must not get lost; the interrupt is passed on below.
      }
    }
    waker.wake();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Whether nothing waits to be written. */
  public synchronized boolean isIdle() {
    return group.isEmpty() && waiting.isEmpty();
  }

  @Override
  public synchronized Moment tick(Moment now) {
    waiting.drainTo(group, LARGEST_GROUP - group.size());
    group.removeIf(this::isVoid);
    if (group.isEmpty()) {
      return Moment.NEVER;
    }
    try {
      write(List.copyOf(group));
      group.clear();
      retryDelay = FIRST_RETRY;
      return waiting.isEmpty() ? Moment.NEVER : now;
    } catch (StoreException away) {
      group.removeIf(report -> report.written);
      log.warn(
          "{} reports could not be written and are tried again in {}: {}",
          group.size() + waiting.size(),
          retryDelay,
          away.getMessage());
      Moment again = now.plus(retryDelay);
      retryDelay = retryDelay.multipliedBy(2);
      if (retryDelay.compareTo(LAST_RETRY) > 0) {
        retryDelay = LAST_RETRY;
      }
      return again;
    }
  }

  /** Whether the node was fenced: nothing is written any more for what it held. */
  private boolean isVoid(Report report) {
    boolean over = report.holding.tenure().isOver();
    if (over) {
      receipts.recordVoid(report.holding);
    }
    return over;
  }

  /**
   * Write a group, halving it where the store refuses it, until the report at fault stands alone.
   */
  private void write(List<Report> reports) {
    try {
      List<Report> back = reports.stream().filter(r -> r.finish == null).toList();
      List<Report> ends =
          back.isEmpty() ? reports : reports.stream().filter(r -> r.finish != null).toList();
      writeEnds(ends);
      giveBack(back);
    } catch (StoreException failure) {
      if (failure.outcome() != StoreException.Outcome.REFUSED) {
        throw failure;
      }
      List<Report> left = reports.stream().filter(report -> !report.written).toList();
      if (left.size() > 1) {
        write(left.subList(0, left.size() / 2));
        write(left.subList(left.size() / 2, left.size()));
      } else if (left.size() == 1) {
        writeRefusal(left.get(0), failure);
      }
    }
  }

  private void writeEnds(List<Report> reports) {
    if (reports.isEmpty()) {
      return;
    }
    List<Finish> finishes = new ArrayList<>(reports.size());
    for (Report report : reports) {
      finishes.add(finishOf(report));
    }
    // All of one tenure: what belonged to an earlier one is void.
    UUID incarnation = reports.get(0).holding.tenure().incarnation();
    List<Outcomes.Answer> answers = outcomes.finish(incarnation, finishes);
    for (int i = 0; i < answers.size(); i++) {
      Report report = reports.get(i);
      report.written = true;
      receipts.record(report.holding, finishes.get(i), answers.get(i));
    }
  }

  private void giveBack(List<Report> reports) {
    if (reports.isEmpty()) {
      return;
    }
    List<HandBack> back =
        reports.stream()
            .map(report -> new HandBack(report.holding.held(), report.holding.hasRun()))
            .toList();
    Set<Held> given = claims.giveBack(reports.get(0).holding.tenure().incarnation(), back);
    for (Report report : reports) {
      report.written = true;
      receipts.recordGivenBack(report.holding, given.contains(report.holding.held()));
    }
  }

  private void writeRefusal(Report report, StoreException refusal) {
    Holding holding = report.holding;
    log.error(
        "The store refused how job {} of {} ended; it is dead-lettered as {}",
        holding.job().id(),
        holding.job().task(),
        FailureCode.NOT_RECORDED,
        refusal);
    Finish.Failure failure =
        new Finish.Failure(
            holding.job().attempt(),
            FailureCode.NOT_RECORDED,
            null,
            "The database refused to store how this attempt ended: see the log of the node.",
            null,
            identity.nodeId());
    try {
      writeEnds(List.of(new Report(holding, new Finish.Dead(holding.held(), failure))));
    } catch (StoreException again) {
      if (again.outcome() != StoreException.Outcome.REFUSED) {
        throw again;
      }
      log.error(
          "Even that was refused; job {} stays held until this node stops",
          holding.job().id(),
          again);
    }
    report.written = true;
  }

  private static Finish finishOf(Report report) {
    Finish finish = report.finish;
    if (finish == null) {
      throw new IllegalStateException("A report to give back has no finish");
    }
    return finish;
  }
}
