package dev.holdfast.engine.held;

import dev.holdfast.engine.store.ClaimId;
import dev.holdfast.engine.store.ClaimRequest.Suspects;
import dev.holdfast.engine.store.Suspicion;
import dev.holdfast.engine.time.Moment;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * How many crash suspects a node has at once: one at first, twice as many with each one that ends
 * well, one again under a new incarnation. If a suspect kills its process, only the few that it ran
 * beside have one more crash; one that has a single crash left runs beside no other suspect, so
 * that no job is dead-lettered for what another one did.
 *
 * <p>No suspect keeps the others waiting for longer than the patience of the node: one that has run
 * for that long counts as ended well. And none that must be the only one waits forever: after the
 * node has had suspects for that long without a break, it claims no more of them until they have
 * ended.
 */
public final class SlowStart {
  /** More than any node runs at once. */
  private static final int ENOUGH = 1 << 20;

  /** About as long as a claim takes. */
  private static final Duration CLAIM = Duration.ofMillis(50);

  private final Duration patience;
  private final Map<ClaimId, Place> places = new HashMap<>();
  private @Nullable UUID incarnation;
  private int limit = 1;
  private int reserved;
  private boolean lone;
  private Moment busySince = Moment.NEVER;

  /**
   * What a claimed suspect occupies.
   *
   * @param claimed when it was claimed
   * @param started when its code started; null while it has not
   */
  private record Place(Moment claimed, @Nullable Moment started, boolean alone) {}

  /**
   * @param patience how long a suspect counts, and how long others wait for one that must be alone
   */
  public SlowStart(Duration patience) {
    this.patience = patience;
  }

  /**
   * Reserve places for suspects that a claim may bring. Each reservation is returned when the claim
   * has ended, after what it brought was {@link #claimed}.
   */
  public synchronized Suspects reserve(UUID owner, int wanted, Moment now) {
    if (!owner.equals(incarnation)) {
      startOver(owner);
    }
    countAsEnded(now);
    boolean idle = places.isEmpty() && reserved == 0;
    if (idle) {
      busySince = now;
    } else if (lone || isOver(busySince, now)) {
      return Suspects.NONE;
    }
    int most = Math.clamp((long) limit - places.size() - reserved, 0, wanted);
    reserved += most;
    return most == 0 ? Suspects.NONE : new Suspects(most, idle);
  }

  private void startOver(UUID owner) {
    incarnation = owner;
    limit = 1;
    reserved = 0;
    lone = false;
    places.clear();
  }

  /** Return a reservation, used or not. */
  public synchronized void giveBack(UUID owner, Suspects reservation) {
    if (owner.equals(incarnation)) {
      reserved -= reservation.most();
    }
  }

  /** Note that the node has claimed a suspect. */
  synchronized void claimed(UUID owner, ClaimId job, Suspicion suspicion, Moment now) {
    if (owner.equals(incarnation)) {
      boolean alone = suspicion == Suspicion.ALONE;
      places.put(job, new Place(now, null, alone));
      lone |= alone;
    }
  }

  /** Note that the code of a suspect starts. */
  public synchronized void started(ClaimId job, Moment now) {
    places.computeIfPresent(job, (held, place) -> new Place(place.claimed, now, place.alone));
  }

  /**
   * Note that the node holds a suspect no more. If its code was started and the process is still
   * there, it ended well, however its attempt went.
   *
   * @return whether there may be room for another one now
   */
  synchronized boolean gone(ClaimId job) {
    Place place = places.remove(job);
    if (place == null) {
      return false;
    }
    if (place.started != null) {
      endedWell();
    }
    lone &= !place.alone;
    return true;
  }

  /** Whether a suspect has waited so long to be started that it should make room for others. */
  public synchronized boolean hasWaitedTooLong(ClaimId job, Moment now) {
    Place place = places.get(job);
    return place != null && place.started == null && isOver(place.claimed, now);
  }

  /**
   * When there may be room for more, apart from what {@link HeldJobs#onSuspectGone} tells: when the
   * next suspect counts as ended although it still runs, or when claims under way have brought less
   * than is reserved for them.
   */
  public synchronized Moment nextRoom(Moment now) {
    Moment next = reserved > 0 ? now.plus(CLAIM) : Moment.NEVER;
    for (Place place : places.values()) {
      if (place.started != null) {
        next = next.earlier(place.started.plus(patience));
      }
    }
    return next;
  }

  private void countAsEnded(Moment now) {
    places
        .values()
        .removeIf(place -> {
          boolean over = place.started != null && isOver(place.started, now);
          if (over) {
            endedWell();
            lone &= !place.alone;
          }
          return over;
        });
  }

  private void endedWell() {
    limit = Math.min(limit * 2, ENOUGH);
  }

  private boolean isOver(Moment since, Moment now) {
    return !now.isBefore(since.plus(patience));
  }
}
