package dev.holdfast.testkit.node;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.job.Job;
import dev.holdfast.api.job.JobId;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.JobQueries;
import dev.holdfast.engine.store.Outcomes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** How the attempts of one drain ended, and the failures of the store that roles met meanwhile. */
final class Attempts {
  private record Failed(JobId job, Finish.Failure failure, boolean retried) {}

  private int count;
  private int succeeded;
  private int postponed;
  private int cancelled;
  private final List<Failed> failed = new ArrayList<>();
  private @Nullable StoreException storeFailure;

  synchronized void ended(Finish finish, Outcomes.Result result) {
    count++;
    switch (result) {
      case WRITTEN, READY_INSTEAD -> written(finish);
      case CANCELLED_INSTEAD -> cancelled++;
      case LOST -> {}
    }
  }

  private void written(Finish finish) {
    JobId id = finish.claim().id();
    switch (finish) {
      case Finish.Succeeded done -> succeeded++;
      case Finish.Later later -> postponed++;
      case Finish.Parked parked -> postponed++;
      case Finish.Cancelled stopped -> cancelled++;
      case Finish.RetryIn retry -> failed.add(new Failed(id, retry.failure(), true));
      case Finish.Dead dead -> failed.add(new Failed(id, dead.failure(), false));
    }
  }

  /** Notes that a role met a failure of the store. The first one is kept. */
  synchronized void storeFailed(StoreException thrown) {
    if (storeFailure == null) {
      storeFailure = thrown;
    }
  }

  synchronized Optional<StoreException> storeFailure() {
    return Optional.ofNullable(storeFailure);
  }

  /** Returns how many attempts have ended. */
  synchronized int count() {
    return count;
  }

  /**
   * Returns the summary.
   *
   * @param lookup knows the tasks of the jobs that failed
   */
  synchronized DrainResult summary(JobQueries lookup) {
    Map<JobId, Job> jobs = lookup.find(failed.stream().map(Failed::job).distinct().toList());
    return new DrainResult(
        succeeded,
        postponed,
        cancelled,
        failed.stream().map(attempt -> describe(attempt, jobs.get(attempt.job()))).toList());
  }

  private static DrainResult.Failure describe(Failed attempt, @Nullable Job job) {
    Finish.Failure failure = attempt.failure();
    return new DrainResult.Failure(
        attempt.job(),
        job == null ? "deleted" : job.task(),
        failure.attempt(),
        failure.code(),
        failure.message(),
        failure.stackTrace(),
        attempt.retried());
  }
}
