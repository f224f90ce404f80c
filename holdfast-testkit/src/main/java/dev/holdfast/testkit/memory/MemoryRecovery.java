package dev.holdfast.testkit.memory;

import dev.holdfast.api.job.JobState;
import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.Finish.Failure;
import dev.holdfast.engine.store.Recovery;
import dev.holdfast.engine.store.Suspicion;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Recovers jobs whose node died. */
final class MemoryRecovery implements Recovery {
  private static final Comparator<Orphan> CLAIMED_ORDER =
      Comparator.comparingLong(Orphan::claimNo).thenComparing(orphan -> orphan.id().toString());

  private final Tables tables;

  MemoryRecovery(Tables tables) {
    this.tables = tables;
  }

  @Override
  public List<Orphan> orphans(Holder holder, Scope scope, @Nullable Orphan after, int limit) {
    return tables.transaction(now ->
        tables.live.values().stream()
            .filter(row -> isOrphan(row, holder) && isLookedAt(row, holder) && isIn(scope, row))
            .map(MemoryRecovery::orphan)
            .filter(orphan -> after == null || CLAIMED_ORDER.compare(orphan, after) > 0)
            .sorted(CLAIMED_ORDER)
            .limit(limit)
            .toList());
  }

  private boolean isOrphan(JobRow row, Holder holder) {
    if (!row.state.isHeld() || !holder.incarnation().equals(row.holder)) {
      return false;
    }
    NodeRow node = tables.nodes.get(holder.incarnation());
    Long silentAt = holder.silentAt();
    return node != null
        && (!node.alive
            || (silentAt != null && node.beat == silentAt && row.state == JobState.CLAIMED));
  }

  /** Sweeps start at the oldest claim call that the holder reported in its last heartbeat. */
  private boolean isLookedAt(JobRow row, Holder holder) {
    NodeRow node = tables.nodes.get(holder.incarnation());
    return node != null && row.claimNo >= node.fromCall;
  }

  private static boolean isIn(Scope scope, JobRow row) {
    boolean state = row.state == JobState.CLAIMED ? scope.claimed() : scope.running();
    return state
        && (scope.stacks() == null || row.stack == null || scope.stacks().contains(row.stack));
  }

  private static Orphan orphan(JobRow row) {
    return new Orphan(
        new ClaimId(row.id, row.token),
        row.claimNo,
        row.task,
        row.queue,
        row.stack,
        row.state == JobState.RUNNING,
        row.attempt,
        row.priority,
        row.crashes,
        row.fencings,
        row.policy);
  }

  @Override
  public List<Result> recover(Holder holder, List<? extends RecoveryAction> actions) {
    actions.forEach(StorableText::require);
    return tables.transaction(
        now -> actions.stream().map(action -> recover(holder, action, now)).toList());
  }

  private Result recover(Holder holder, RecoveryAction action, Instant now) {
    JobRow row = tables.live.get(action.claim().id());
    if (row == null || row.token != action.claim().token() || !isOrphan(row, holder)) {
      return Result.NOT_HELD;
    }
    return switch (action) {
      case RecoveryAction.NotStarted notStarted -> notStarted(row, now);
      case RecoveryAction.AfterFencing fenced -> {
        row.fencings++;
        yield notStarted(row, now);
      }
      case RecoveryAction.AfterCrash(
              ClaimId held,
              Duration delay,
              Suspicion suspicion,
              Failure failure) -> {
        row.attempt--;
        row.crashes++;
        row.suspicion = suspicion;
        row.startBy = null;
        yield again(row, delay, failure, now);
      }
      case RecoveryAction.DeadLetter(ClaimId held, Failure failure) -> {
        MemoryOutcomes.note(row, failure, now);
        tables.end(row, JobState.FAILED, now);
        yield Result.DONE;
      }
    };
  }

  private Result notStarted(JobRow row, Instant now) {
    if (row.state == JobState.RUNNING) {
      row.attempt--;
      row.startBy = null; // Only a job that never started can expire.
    }
    return again(row, Duration.ZERO, null, now);
  }

  private Result again(JobRow row, Duration delay, @Nullable Failure failure, Instant now) {
    if (failure != null) {
      MemoryOutcomes.note(row, failure, now);
    }
    if (row.cancelRequested) {
      tables.end(row, JobState.CANCELLED, now);
      return Result.CANCELLED_INSTEAD;
    }
    if (delay.isPositive()) {
      row.holder = null;
      row.runAt = now.plus(delay);
      tables.queue(row, now);
    } else {
      tables.putBack(row);
    }
    return Result.DONE;
  }

  /** Does nothing: there are no sessions in memory. */
  @Override
  public int endSessions(UUID incarnation) {
    return 0;
  }
}
