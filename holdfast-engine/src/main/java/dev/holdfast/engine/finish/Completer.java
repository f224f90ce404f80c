package dev.holdfast.engine.finish;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.internal.Times;
import dev.holdfast.api.policy.FailureCode;
import dev.holdfast.engine.held.CurrentIncarnation;
import dev.holdfast.engine.held.HeldJob;
import dev.holdfast.engine.meter.Meters;
import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.role.Waker;
import dev.holdfast.engine.run.FinishSink;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.Claims;
import dev.holdfast.engine.store.Claims.ReleasedClaim;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.Outcomes;
import dev.holdfast.engine.store.Portions;
import dev.holdfast.engine.time.Moment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes reports in groups: the reports that arrive while one group is written form the next. So a
 * single report is written at once, and many reports share a commit.
 *
 * <p>A group is bounded by number and by size, and halved when it fails repeatedly for any reason:
 * it may be too large for its statement timeout, or contain one report that cannot be written. A
 * report that fails alone is retried at growing intervals and does not delay other reports.
 */
public final class Completer implements Role, FinishSink {
  private static final Logger log = LoggerFactory.getLogger(Completer.class);
  private static final int LARGEST_GROUP = 1_000;
  private static final Duration FIRST_RETRY = Duration.ofMillis(100);
  private static final Duration LAST_RETRY = Duration.ofSeconds(5);

  private final Outcomes outcomes;
  private final Claims claims;
  private final CurrentIncarnation identity;
  private final ConfirmedOutcomes confirmed;
  private final FinishAlarm alarm;
  private final WaitingReports waiting = new WaitingReports();
  private final List<Report> pending = new ArrayList<>();
  private final Waker waker;
  private Duration retryDelay = FIRST_RETRY;

  /** How many reports a group may have: halved by repeated failures, doubled by each success. */
  private int width = LARGEST_GROUP;

  private int failuresInRow;
  private long groupsWritten;

  /** When to continue after a failure: reports that arrive meanwhile do not bring it forward. */
  private @Nullable Moment resumeAt;

  public Completer(
      Outcomes outcomes,
      Claims claims,
      CurrentIncarnation identity,
      ConfirmedOutcomes confirmed,
      Meters meters,
      Waker waker) {
    this.outcomes = outcomes;
    this.claims = claims;
    this.identity = identity;
    this.confirmed = confirmed;
    this.alarm = new FinishAlarm(meters);
    this.waker = waker;
  }

  @Override
  public String name() {
    return "completer";
  }

  @Override
  public void finish(HeldJob heldJob, Finish finish) {
    offer(Report.of(heldJob, finish));
  }

  @Override
  public void handBack(HeldJob heldJob) {
    offer(Report.ofHandBack(heldJob));
  }

  private void offer(Report report) {
    waiting.put(report);
    waker.wake();
  }

  /** Returns whether no report waits to be written. */
  public synchronized boolean isIdle() {
    return pending.isEmpty() && waiting.count() == 0;
  }

  /**
   * Returns whether attempts have ended and none of their reports could be written for a minute.
   */
  public boolean isStalled() {
    return alarm.isStalled();
  }

  @Override
  public synchronized Moment tick(Moment now) {
    if (resumeAt != null && now.isBefore(resumeAt)) {
      return resumeAt;
    }
    resumeAt = null;
    fill(now);
    pending.removeIf(report -> report.written || isVoid(report));
    List<Report> group = nextGroup(now);
    Moment next = group.isEmpty() ? nextDue() : write(group, now);
    alarm.look(pending, waiting.count(), now);
    return pending.isEmpty() ? next : next.earlier(now.plus(FinishAlarm.PATIENCE));
  }

  private void fill(Moment now) {
    while (pending.size() < LARGEST_GROUP) {
      Report report = waiting.poll();
      if (report == null) {
        return;
      }
      report.since = now;
      pending.add(report);
    }
  }

  /**
   * Returns a report that failed alone, if others were written since and its pause is over;
   * otherwise as many of the others as fit into one group.
   */
  private List<Report> nextGroup(Moment now) {
    List<Report> others = pending.stream().filter(report -> !report.isAlone()).toList();
    return pending.stream()
        .filter(report -> report.isAlone() && !now.isBefore(report.dueAt()))
        .filter(report -> others.isEmpty() || report.wasOvertaken(groupsWritten))
        .findFirst()
        .map(List::of)
        .orElseGet(() ->
            others.subList(
                0, Portions.first(others, width, Portions.LARGEST, report -> report.size)));
  }

  private Moment nextDue() {
    Moment next = Moment.NEVER;
    for (Report report : pending) {
      next = next.earlier(report.dueAt());
    }
    return next;
  }

  private Moment write(List<Report> group, Moment now) {
    try {
      write(group);
      pending.removeIf(report -> report.written);
      width = Math.min(LARGEST_GROUP, width * 2);
      retryDelay = FIRST_RETRY;
      failuresInRow = 0;
      groupsWritten++;
      alarm.progressed();
      return waiting.count() > 0 ? now : nextDue();
    } catch (RuntimeException failure) {
      if (pending.removeIf(report -> report.written)) {
        alarm.progressed();
      }
      return retry(group.stream().filter(report -> !report.written).toList(), now, failure);
    }
  }

  private Moment retry(List<Report> failed, Moment now, RuntimeException failure) {
    alarm.failed(failure);
    if (++failuresInRow > 1 || failed.stream().anyMatch(Report::isAlone)) {
      if (failed.size() == 1) {
        failed.getFirst().failedAlone(now, groupsWritten);
      } else {
        width = Math.max(1, failed.size() / 2);
      }
    }
    log.warn(
        "{} reports of ended attempts could not be written, retrying in {}, {} at a time: {}",
        pending.size() + waiting.count(),
        Times.describe(retryDelay),
        Math.min(width, failed.size()),
        failure.getMessage());
    resumeAt = now.plus(retryDelay);
    retryDelay = retryDelay.multipliedBy(2);
    if (retryDelay.compareTo(LAST_RETRY) > 0) {
      retryDelay = LAST_RETRY;
    }
    return resumeAt;
  }

  /** Returns whether the node was fenced: nothing is written any more for jobs that it held. */
  private boolean isVoid(Report report) {
    boolean over = report.heldJob.tenure().isOver();
    if (over) {
      confirmed.recordVoid(report.heldJob);
    }
    return over;
  }

  /**
   * Writes a group, and halves it if the store rejects it, until the report that causes the
   * rejection is alone.
   */
  private void write(List<Report> reports) {
    try {
      List<Report> back = reports.stream().filter(r -> r.finish.isEmpty()).toList();
      List<Report> ends =
          back.isEmpty() ? reports : reports.stream().filter(r -> r.finish.isPresent()).toList();
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
      finishes.add(report.finish.orElseThrow());
    }
    // All belong to one tenure: reports of an earlier one are void.
    UUID incarnation = reports.get(0).heldJob.tenure().incarnation();
    List<Outcomes.Result> results = outcomes.finish(incarnation, finishes);
    // Mark all of them before any is announced: a failure there must not cause them to be written
    // again.
    reports.forEach(report -> report.written = true);
    for (int i = 0; i < results.size(); i++) {
      confirmed.record(reports.get(i).heldJob, finishes.get(i), results.get(i));
    }
  }

  private void giveBack(List<Report> reports) {
    if (reports.isEmpty()) {
      return;
    }
    List<ReleasedClaim> back =
        reports.stream()
            .map(report -> new ReleasedClaim(report.heldJob.claim(), report.heldJob.hasRun()))
            .toList();
    Set<ClaimId> given = claims.giveBack(reports.get(0).heldJob.tenure().incarnation(), back);
    reports.forEach(report -> report.written = true);
    for (Report report : reports) {
      confirmed.recordGivenBack(report.heldJob, given.contains(report.heldJob.claim()));
    }
  }

  private void writeRefusal(Report report, StoreException refusal) {
    HeldJob heldJob = report.heldJob;
    log.error(
        "The store rejected the outcome of job {} of {}; the job is dead-lettered as {}",
        heldJob.job().id(),
        heldJob.job().task(),
        FailureCode.NOT_RECORDED,
        refusal);
    Finish.Failure failure =
        new Finish.Failure(
            heldJob.job().attempt(),
            FailureCode.NOT_RECORDED,
            null,
            "The database rejected the outcome of this attempt: see the log of the node.",
            null,
            identity.nodeId());
    try {
      writeEnds(List.of(Report.of(heldJob, new Finish.Dead(heldJob.claim(), failure))));
    } catch (StoreException again) {
      if (again.outcome() != StoreException.Outcome.REFUSED) {
        throw again;
      }
      log.error(
          "The store also rejected the dead-lettering; job {} stays RUNNING until this node stops",
          heldJob.job().id(),
          again);
      heldJob.releaseKeptSlot();
    }
    report.written = true;
  }
}
