package dev.holdfast.server.worker;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.policy.RetryPolicy;
import dev.holdfast.engine.codec.Encoding;
import dev.holdfast.engine.codec.JobPolicy;
import dev.holdfast.engine.codec.JobPolicyJson;
import dev.holdfast.engine.codec.JsonCodec;
import dev.holdfast.engine.codec.Utf8Length;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.run.FailureReport;
import dev.holdfast.engine.run.RetryDecision;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Claims.ReleasedClaim;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.Journals.EntryKey;
import dev.holdfast.engine.store.Journals.EntryKind;
import dev.holdfast.engine.store.Journals.JournalEntry;
import dev.holdfast.engine.store.Outcomes;
import dev.holdfast.engine.store.Store;
import dev.holdfast.server.node.WorkerNodes.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Records what workers report about attempts. What follows from a failure is decided by the same
 * functions as on a node: by the policy of the job, which is read before. That read guards nothing:
 * the write names the incarnation and the token of each claim.
 */
final class WorkerOutcomes {
  static final int LARGEST_RESULT = 1 << 20;

  private static final JsonCodec JSON = new JsonCodec();

  private final Store store;
  private final TenantWork work;

  WorkerOutcomes(Store store, TenantWork work) {
    this.store = store;
    this.work = work;
  }

  /** Records all of these, and returns one result for each, in order. */
  List<Reported.Result> record(Worker worker, List<Reported> reports) {
    Map<ClaimId, ClaimedJob> held = held(worker, reports);
    Map<ClaimId, Reported.Result> results = new HashMap<>();
    List<Finish> finishes = new ArrayList<>();
    List<ReleasedClaim> released = new ArrayList<>();
    for (Reported report : reports) {
      if (report instanceof Reported.HandedBack(ClaimId claim, boolean ran)) {
        released.add(new ReleasedClaim(claim, ran));
      } else {
        Finish finish = finish(worker, report, held.get(report.claim()));
        if (finish == null) {
          results.put(report.claim(), Reported.Result.TOO_LARGE);
        } else {
          finishes.add(finish);
        }
      }
    }
    write(worker, finishes, held, results);
    handBack(worker, released, held, results);
    return reports.stream()
        .map(report -> results.getOrDefault(report.claim(), Reported.Result.LOST))
        .toList();
  }

  private Map<ClaimId, ClaimedJob> held(Worker worker, List<Reported> reports) {
    Set<JobId> ids = new HashSet<>();
    reports.forEach(report -> ids.add(report.claim().id()));
    Map<ClaimId, ClaimedJob> held = new HashMap<>();
    store
        .claims()
        .held(worker.incarnation(), ids, false)
        .forEach(job -> held.put(job.claim(), job));
    return held;
  }

  private void write(
      Worker worker,
      List<Finish> finishes,
      Map<ClaimId, ClaimedJob> held,
      Map<ClaimId, Reported.Result> results) {
    if (finishes.isEmpty()) {
      return;
    }
    List<Outcomes.Result> written = store.outcomes().finish(worker.incarnation(), finishes);
    for (int i = 0; i < finishes.size(); i++) {
      Finish finish = finishes.get(i);
      Outcomes.Result result = written.get(i);
      results.put(
          finish.claim(),
          switch (result) {
            case WRITTEN, READY_INSTEAD -> Reported.Result.RECORDED;
            case CANCELLED_INSTEAD -> Reported.Result.CANCELLED;
            case LOST -> Reported.Result.LOST;
          });
      if (result != Outcomes.Result.LOST) {
        announce(finish, result, held.get(finish.claim()));
      }
    }
    work.bus().jobsChanged();
  }

  private void announce(Finish finish, Outcomes.Result result, @Nullable ClaimedJob job) {
    if (result == Outcomes.Result.READY_INSTEAD) { // The signal was there.
      if (job != null) {
        work.bus().publish(new Signal.NewWork(job.queue(), job.priority()));
      }
      return;
    }
    if (job != null && job.step() != null) {
      work.bus().publish(new Signal.RunsMarked(Duration.ZERO));
    }
    Duration again =
        result == Outcomes.Result.CANCELLED_INSTEAD
            ? null
            : switch (finish) {
              case Finish.RetryIn retry -> retry.delay();
              case Finish.Later later -> later.delay();
              case Finish.Parked parked -> parked.wake();
              case Finish.Succeeded done -> null;
              case Finish.Dead dead -> null;
              case Finish.Cancelled cancelled -> null;
            };
    if (again != null) {
      work.bus().publish(new Signal.Scheduled(again));
    } else if (work.awaited().remove(finish.claim().id())) {
      work.bus().publish(new Signal.JobEnded(finish.claim().id()));
    }
  }

  private void handBack(
      Worker worker,
      List<ReleasedClaim> released,
      Map<ClaimId, ClaimedJob> held,
      Map<ClaimId, Reported.Result> results) {
    for (ClaimId claim : store.claims().giveBack(worker.incarnation(), released)) {
      results.put(claim, Reported.Result.RECORDED);
      ClaimedJob job = held.get(claim);
      if (job != null) {
        work.bus().publish(new Signal.NewWork(job.queue(), job.priority()));
      }
    }
  }

  /**
   * Returns what to write; null for a result that is too large.
   *
   * @param job null if the worker does not hold it, so that the write changes nothing, or finds
   *     that it was made before
   */
  private static @Nullable Finish finish(Worker worker, Reported report, @Nullable ClaimedJob job) {
    JobPolicy policy =
        job == null ? JobPolicy.NONE : JobPolicyJson.readAnyhow(job.policy(), job.id());
    return switch (report) {
      case Reported.Succeeded done -> success(done, job, policy);
      case Reported.Failed failed -> failure(worker, failed, job, policy);
      case Reported.Later(ClaimId claim, Duration delay, boolean ran) ->
          new Finish.Later(claim, delay, ran);
      case Reported.Parked(ClaimId claim, EntryKey key, Duration wake, @Nullable String signal) ->
          new Finish.Parked(
              claim,
              new JournalEntry(key, signal == null ? EntryKind.SLEEP : EntryKind.AWAITING, null),
              wake,
              signal);
      case Reported.Cancelled(ClaimId claim) -> new Finish.Cancelled(claim);
      case Reported.HandedBack back ->
          throw new IllegalArgumentException("A job that is handed back has not finished");
    };
  }

  private static @Nullable Finish success(
      Reported.Succeeded done, @Nullable ClaimedJob job, JobPolicy policy) {
    boolean plain = job != null && job.step() == null;
    Duration keep = done.keepResult() != null ? done.keepResult() : policy.keepResult();
    // The output of a step is kept for the run, however long the result of the job would be.
    boolean dropped = keep != null && keep.isZero() && plain;
    if (done.result() == null || dropped) {
      return new Finish.Succeeded(done.claim(), null, null, plain);
    }
    String result = Encoding.storable(JSON.encode(done.result()));
    return Utf8Length.exceeds(result, LARGEST_RESULT)
        ? null
        : new Finish.Succeeded(done.claim(), result, keep, plain);
  }

  private static Finish failure(
      Worker worker, Reported.Failed failed, @Nullable ClaimedJob job, JobPolicy policy) {
    Reported.Failure what = failed.failure();
    Finish.Failure failure =
        FailureReport.reported(
            new Finish.Failure(
                job == null ? 1 : job.attempt(),
                what.code(),
                what.type(),
                what.message(),
                what.stackTrace(),
                worker.id()));
    if (failed.isFinal()) {
      return new Finish.Dead(failed.claim(), failure);
    }
    Duration retryIn = failed.retryIn();
    if (retryIn != null) {
      return new Finish.RetryIn(failed.claim(), retryIn, failure);
    }
    RetryPolicy retry = policy.retryOrDefault();
    return RetryDecision.onFailure(
        failed.claim(), failure, null, retry, ThreadLocalRandom.current().nextDouble());
  }
}
