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
 * Limits how many crash suspects (jobs that may have killed their nodes) a node holds at the same
 * time: one at first, twice as many with each one that ends well, and one again under a new
 * incarnation. If a crash suspect kills its process, only the suspects that ran with it get another
 * crash. A job that has a single crash left runs together with no other crash suspect, so that no
 * job is dead-lettered because of another one.
 *
 * <p>No crash suspect keeps others waiting for longer than the patience of the node: after that
 * time it counts as ended well even while it runs. And a crash suspect that must be the only one
 * does not wait forever: after the node has held crash suspects for that time without a break, it
 * claims no more of them until they have ended.
 */
public final class SlowStart {
  /** More than any node runs at the same time. */
  private static final int ENOUGH = 1 << 20;

  /** About the duration of a claim. */
  private static final Duration CLAIM = Duration.ofMillis(50);

  private final Duration patience;
  private final Map<ClaimId, Place> places = new HashMap<>();
  private @Nullable UUID incarnation;
  private int limit;
  private int reserved;
  private boolean lone;
  private Moment busySince = Moment.NEVER;

  /**
   * The place that a claimed crash suspect occupies.
   *
   * @param claimed when it was claimed
   * @param started when its code started; null while it has not
   * @param alone whether it must be the only one
   */
  private record Place(Moment claimed, @Nullable Moment started, boolean alone) {}

  /**
   * @param patience how long a crash suspect counts, and how long others wait for one that must be
   *     the only one
   */
  public SlowStart(Duration patience) {
    this.patience = patience;
  }

  /**
   * Reserves places for crash suspects that a claim may return. Each reservation is given back when
   * the claim has ended, after the suspects it returned were {@link #claimed}.
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

  /** Gives back a reservation, used or not. */
  public synchronized void giveBack(UUID owner, Suspects reservation) {
    if (owner.equals(incarnation)) {
      reserved -= reservation.most();
    }
  }

  /** Notes that the node has claimed a crash suspect. */
  synchronized void claimed(UUID owner, ClaimId job, Suspicion suspicion, Moment now) {
    if (owner.equals(incarnation)) {
      boolean alone = suspicion == Suspicion.ALONE;
      places.put(job, new Place(now, null, alone));
      lone |= alone;
    }
  }

  /** Notes that the code of a crash suspect starts. */
  public synchronized void started(ClaimId job, Moment now) {
    places.computeIfPresent(job, (held, place) -> new Place(place.claimed, now, place.alone));
  }

  /**
   * Notes that the node no longer holds a crash suspect. If its code was started and the process is
   * still alive, it ended well, whatever the outcome of its attempt.
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

  /**
   * Returns whether a crash suspect has waited to be started for long enough that it should make
   * room for others.
   */
  public synchronized boolean hasWaitedTooLong(ClaimId job, Moment now) {
    Place place = places.get(job);
    return place != null && place.started == null && isOver(place.claimed, now);
  }

  /**
   * Returns when there may be room for more, apart from what {@link HeldJobs#onSuspectGone}
   * reports: when the next crash suspect counts as ended although it still runs, or when claims in
   * progress have returned fewer than are reserved for them.
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
