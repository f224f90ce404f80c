package dev.holdfast.engine.schedule;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.StoreException.Outcome;
import dev.holdfast.api.schedule.PutResult;
import dev.holdfast.api.schedule.Recurrence;
import dev.holdfast.engine.store.SchedulePlan;
import dev.holdfast.engine.store.ScheduleStore;
import dev.holdfast.engine.store.ScheduleStore.Declared;
import dev.holdfast.engine.store.ScheduleStore.Draft;
import dev.holdfast.engine.store.ScheduleStore.Glance;
import dev.holdfast.engine.store.ScheduleStore.Kept;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Changes schedules by optimistic locking: reads, decides, and writes if nothing has changed in
 * between; otherwise reads again. If the reply to a write was lost, the next read finds it done.
 */
final class ScheduleWriter {
  private static final int TRIES = 20;

  private final ScheduleStore store;

  ScheduleWriter(ScheduleStore store) {
    this.store = store;
  }

  /** What to write, and the result to return once it is written; no draft to write nothing. */
  record Change<T>(@Nullable Draft draft, T result) {}

  /** Changes a schedule by a decision about its current state. */
  <T> T change(String id, Function<Glance, Change<T>> decide) {
    for (int tries = 0; tries < TRIES; tries++) {
      Glance glance = store.look(id);
      Change<T> change = decide.apply(glance);
      if (change.draft() == null
          || store.save(change.draft(), glance.kept().map(Kept::revision).orElse(null))) {
        return change.result();
      }
    }
    throw new StoreException(
        Outcome.RETRYABLE,
        "Could not change schedule '%s', since other clients or nodes keep changing it. Nothing was changed; try again."
            .formatted(id),
        null);
  }

  /** Creates a schedule, or changes it to the given plan. */
  static Change<PutResult> put(SchedulePlan plan, @Nullable Declared declared, Glance glance) {
    Kept kept = glance.kept().orElse(null);
    if (kept == null) {
      return new Change<>(fresh(plan, declared, glance.now()), PutResult.CREATED);
    }
    Draft old = kept.draft();
    if (!kept.cancelled() && old.plan().equals(plan) && Objects.equals(old.declared(), declared)) {
      return new Change<>(null, PutResult.UNCHANGED);
    }
    Draft fresh = fresh(plan, declared, glance.now());
    boolean keepsTime = !kept.cancelled() && sameTimes(old.plan().recurrence(), plan.recurrence());
    return new Change<>(
        new Draft(
            plan,
            declared,
            old.paused() && !kept.cancelled(),
            keepsTime ? old.anchor() : fresh.anchor(),
            keepsTime ? old.nextFire() : fresh.nextFire()),
        kept.cancelled() ? PutResult.CREATED : PutResult.CHANGED);
  }

  private static Draft fresh(SchedulePlan plan, @Nullable Declared declared, Instant now) {
    Instant from = plan.recurrence().from();
    Instant anchor = from != null ? from : now.truncatedTo(ChronoUnit.MILLIS);
    Optional<Instant> next = DueTimes.of(plan.recurrence(), anchor).after(now);
    return new Draft(plan, declared, false, anchor, next.orElse(null));
  }

  private static boolean sameTimes(Recurrence one, Recurrence other) {
    return one.timing().equals(other.timing())
        && Objects.equals(one.from(), other.from())
        && Objects.equals(one.until(), other.until());
  }

  /** Pauses a schedule. */
  static Change<Boolean> pause(Glance glance) {
    return glance
        .kept()
        .filter(kept -> !kept.cancelled())
        .map(kept -> {
          Draft old = kept.draft();
          return new Change<>(
              old.paused()
                  ? null
                  : new Draft(old.plan(), old.declared(), true, old.anchor(), old.nextFire()),
              true);
        })
        .orElse(new Change<>(null, false));
  }

  /** Resumes a paused schedule with the next due time from now. */
  static Change<Boolean> resume(Glance glance) {
    return glance
        .kept()
        .filter(kept -> !kept.cancelled())
        .map(kept -> {
          Draft old = kept.draft();
          Instant next =
              DueTimes.of(old.plan().recurrence(), old.anchor()).after(glance.now()).orElse(null);
          return new Change<>(
              old.paused()
                  ? new Draft(old.plan(), old.declared(), false, old.anchor(), next)
                  : null,
              true);
        })
        .orElse(new Change<>(null, false));
  }
}
