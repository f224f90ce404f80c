package dev.holdfast.engine.liveness;

import dev.holdfast.api.internal.Times;
import dev.holdfast.api.task.RecoveryPolicy.Decision;
import dev.holdfast.engine.store.ClaimId;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.slf4j.MDC;

/**
 * Calls recovery policies, which are user code: a policy that throws, returns null or hangs must
 * not keep the sweep from other jobs, nor leave its own job on a dead node forever.
 *
 * <p>Failures are counted in memory. Each sweeper counts separately, and starts from zero after a
 * restart: a job is dead-lettered by the first sweeper that has counted three, so storing the count
 * would cost a write for each failure and save a sweep or two at most.
 */
final class PolicyCalls {
  /** The number of failures after which the job is dead-lettered. */
  static final int MOST_FAILURES = 3;

  private final Duration patience;
  private final Map<ClaimId, Integer> failures = new HashMap<>();
  private int waits;

  /**
   * @param patience how long a policy may take to decide
   */
  PolicyCalls(Duration patience) {
    this.patience = patience;
  }

  /** How many policies may use up their time in one sweep. */
  private static final int MOST_WAITS = 2;

  /** Starts a sweep. */
  void newSweep() {
    waits = 0;
  }

  /**
   * Returns whether this sweep has waited long enough for policies: the remaining jobs are left to
   * the next one.
   */
  boolean isOutOfTime() {
    return waits >= MOST_WAITS;
  }

  /** Returns how often the policy has failed for a job. */
  int failuresOf(ClaimId job) {
    return failures.getOrDefault(job, 0);
  }

  /** Notes that the policy has failed for a job once more, and returns how often it has. */
  int failed(ClaimId job) {
    return failures.merge(job, 1, Integer::sum);
  }

  /** Forgets the jobs that no longer need to be recovered. */
  void keepOnly(Set<ClaimId> orphans) {
    failures.keySet().retainAll(orphans);
  }

  /** Calls a policy, which decides in time, or throws. */
  Decision decide(Supplier<Decision> policy) {
    Map<String, String> logContext = MDC.getCopyOfContextMap();
    FutureTask<Decision> decision =
        new FutureTask<>(() -> {
          if (logContext != null) {
            MDC.setContextMap(logContext);
          }
          return policy.get();
        });
    Thread.ofPlatform().daemon().name("holdfast-recovery-policy").start(decision);
    try {
      return decision.get(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException thrown) {
      throw new Undecided(thrown.getCause() == null ? thrown : thrown.getCause());
    } catch (TimeoutException slow) {
      waits++;
      decision.cancel(true);
      throw new Undecided(
          new TimeoutException(
              "it did not decide within %s: let it decide from the job and the crash, without waiting for another system"
                  .formatted(Times.describe(patience))));
    } catch (InterruptedException stopped) {
      decision.cancel(true);
      Thread.currentThread().interrupt();
      throw new Undecided(stopped);
    }
  }

  /** A policy did not decide. */
  static final class Undecided extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final Throwable reason;

    Undecided(Throwable reason) {
      super(reason);
      this.reason = reason;
    }

    Throwable reason() {
      return reason;
    }
  }
}
