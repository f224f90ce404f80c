package dev.holdfast.testkit.memory;

import dev.holdfast.engine.store.ScheduleStore.Draft;
import dev.holdfast.engine.store.ScheduleStore.Kept;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The row of a schedule. */
final class ScheduleRow {
  Draft draft;
  long revision;
  boolean cancelled;
  @Nullable Instant lastFire;
  @Nullable Instant retryAt;

  ScheduleRow(Draft draft, long revision) {
    this.draft = draft;
    this.revision = revision;
  }

  Kept kept() {
    return new Kept(draft, revision, cancelled, lastFire);
  }

  boolean waits() {
    return !cancelled && !draft.paused() && draft.nextFire() != null;
  }

  boolean isDue(Instant now) {
    return waits() && !tryAt().isAfter(now);
  }

  /** When to fire it: its due time, or the time it was postponed to. */
  Instant tryAt() {
    Instant next = Objects.requireNonNull(draft.nextFire());
    return retryAt != null && retryAt.isAfter(next) ? retryAt : next;
  }

  /** Returns whether it was created by a client and ended before this time. */
  boolean isForgettable(Instant endedBefore) {
    Instant until = draft.plan().recurrence().until();
    return draft.declared() == null
        && draft.nextFire() == null
        && until != null
        && until.isBefore(endedBefore);
  }

  /** Advances to the next due time. */
  void moveOn(Instant last, @Nullable Instant next, long newRevision) {
    draft = new Draft(draft.plan(), draft.declared(), draft.paused(), draft.anchor(), next);
    lastFire = last;
    retryAt = null;
    revision = newRevision;
  }
}
