package dev.holdfast.engine.liveness;

import dev.holdfast.api.codec.PayloadCodec;
import dev.holdfast.api.policy.CrashPolicy;
import dev.holdfast.api.task.RecoveryPolicy.Decision;
import dev.holdfast.engine.codec.JobPolicyJson;
import dev.holdfast.engine.liveness.CrashDecisions.Counsel;
import dev.holdfast.engine.liveness.CrashDecisions.Loss;
import dev.holdfast.engine.liveness.PolicyCalls.Undecided;
import dev.holdfast.engine.run.TaskRegistry;
import dev.holdfast.engine.run.TaskRegistry.Registered;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.JobQueries;
import dev.holdfast.engine.store.Recovery.Orphan;
import dev.holdfast.engine.store.Recovery.RecoveryAction;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides what to do with the jobs of dead nodes. Where the task decides, it calls the recovery
 * policy of this node, which is user code and may fail or hang.
 */
public final class OrphanDecider {
  private static final Logger log = LoggerFactory.getLogger(OrphanDecider.class);
  private static final Duration TO_DECIDE = Duration.ofSeconds(5);

  private final TaskRegistry tasks;
  private final JobQueries jobs;
  private final PayloadCodec codec;
  private final AwaitedPolicies awaited;
  private final PolicyCalls calls = new PolicyCalls(TO_DECIDE);

  /** The jobs of this sweep whose policies failed. */
  private final Set<ClaimId> undecided = new HashSet<>();

  /**
   * @param tasks the tasks of the node, with their policies
   * @param jobs where to read the jobs that policies decide about
   * @param codec decodes their payloads
   * @param awaited the jobs that wait for a node that has a policy for them
   */
  public OrphanDecider(
      TaskRegistry tasks, JobQueries jobs, PayloadCodec codec, AwaitedPolicies awaited) {
    this.tasks = tasks;
    this.jobs = jobs;
    this.codec = codec;
    this.awaited = awaited;
  }

  /** Starts a sweep. */
  void newSweep() {
    calls.newSweep();
    awaited.newSweep();
    undecided.clear();
  }

  /** Forgets the jobs that a sweep for all dead nodes has not found any more. */
  void keepOnlyFound() {
    calls.keepOnly(undecided);
    awaited.keepOnlyFound();
  }

  /** Returns how often the policy has failed for a job. */
  int failuresOf(Orphan orphan) {
    return calls.failuresOf(orphan.claim());
  }

  /** Decides about a job; empty to leave it to the next sweep, on this node or another. */
  Optional<RecoveryAction> decide(Orphan orphan, Loss loss) {
    boolean asks = asks(orphan);
    if (asks && calls.isOutOfTime()) {
      undecided.add(orphan.claim());
      return Optional.empty();
    }
    try {
      return CrashDecisions.rule(
          orphan,
          loss,
          policyOf(orphan),
          new Counsel(ownPolicy(orphan, loss), () -> awaited.awaits(orphan)));
    } catch (Undecided undecidedPolicy) {
      return withoutDecision(orphan, loss, undecidedPolicy);
    } catch (RuntimeException nothing) {
      if (!asks) {
        throw nothing;
      }
      return withoutDecision(orphan, loss, nothing); // It returned null, or a null delay.
    }
  }

  private static CrashPolicy policyOf(Orphan orphan) {
    return JobPolicyJson.readAnyhow(orphan.policy(), orphan.id()).crashOrDefault();
  }

  /** Returns a call of the recovery policy that this node has for a job. */
  private Optional<Supplier<Decision>> ownPolicy(Orphan orphan, Loss loss) {
    return tasks
        .find(orphan.task())
        .flatMap(task -> call(task, orphan, loss))
        .map(call -> () -> calls.decide(call));
  }

  private <P> Optional<Supplier<Decision>> call(Registered<P, ?> task, Orphan orphan, Loss loss) {
    return task.recovery()
        .map(policy ->
            () ->
                policy.onCrash(
                    CrashedJob.of(
                        orphan, loss, jobs, text -> codec.decode(text, task.type().payload()))));
  }

  private boolean hasPolicy(Orphan orphan) {
    return tasks.find(orphan.task()).filter(task -> task.recovery().isPresent()).isPresent();
  }

  /** Returns whether a recovery policy of this node decides about a job, if it crashed. */
  boolean asks(Orphan orphan) {
    return orphan.started()
        && hasPolicy(orphan)
        && policyOf(orphan).action() == CrashPolicy.Action.DECIDED_BY_TASK;
  }

  private Optional<RecoveryAction> withoutDecision(
      Orphan orphan, Loss loss, RuntimeException failure) {
    Throwable why =
        failure instanceof Undecided undecidedPolicy ? undecidedPolicy.reason() : failure;
    undecided.add(orphan.claim());
    if (why instanceof InterruptedException) {
      return Optional.empty(); // The node is stopping; this is not a failure of the policy.
    }
    int times = calls.failed(orphan.claim());
    boolean last = times >= PolicyCalls.MOST_FAILURES;
    log.error(
        "The recovery policy of task {} failed for job {} (failure {} of {}); {}",
        orphan.task(),
        orphan.id(),
        times,
        PolicyCalls.MOST_FAILURES,
        last ? "the job is dead-lettered" : "it is called again at the next sweep",
        why);
    return last
        ? Optional.of(CrashDecisions.withoutDecision(orphan, loss, times, why))
        : Optional.empty();
  }
}
