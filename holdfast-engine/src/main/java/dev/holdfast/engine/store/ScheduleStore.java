package dev.holdfast.engine.store;

import dev.holdfast.api.job.JobId;
import dev.holdfast.api.job.UniqueKey;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Work that recurs. The store keeps times and compares them with its own clock; which times follow
 * from a schedule is for the engine to say.
 *
 * <p>Every write to a schedule gives it a new revision, from one sequence for all, and names the
 * revision it expects: whoever decided by what has changed since changes nothing.
 */
public interface ScheduleStore {

  /**
   * Whose code declares a schedule.
   *
   * @param application the name of the application
   * @param fingerprint tells one declaration of the schedule from another
   */
  record Declared(String application, String fingerprint) {}

  /**
   * A schedule to be written.
   *
   * @param declared null for one made by a client
   * @param anchor where intervals count from
   * @param nextFire null if it is due no more
   */
  record Draft(
      SchedulePlan plan,
      @Nullable Declared declared,
      boolean paused,
      Instant anchor,
      @Nullable Instant nextFire) {}

  /**
   * A schedule as it is kept.
   *
   * @param cancelled declared, and cancelled by somebody: it stays so until its declaration changes
   * @param lastFire the latest due time that was fired, or passed over
   */
  record Kept(Draft draft, long revision, boolean cancelled, @Nullable Instant lastFire) {
    public SchedulePlan plan() {
      return draft.plan();
    }
  }

  /** A schedule, if there is one of that id, and what time it is. */
  record Glance(Instant now, Optional<Kept> kept) {}

  /** Read one schedule, even a cancelled one that is declared. */
  Glance look(String id);

  /** All schedules that are not cancelled, by id. */
  List<Kept> list();

  /**
   * Write a schedule, if it is still as the caller saw it; one that was cancelled lives again.
   *
   * @param seen its revision; null if there was none of this id
   * @return whether it was written
   */
  boolean save(Draft draft, @Nullable Long seen);

  /** Delete a schedule, or mark it cancelled if it is declared; return 1, or 0 if there is none. */
  int cancel(String id);

  /** Cancel all schedules with a tag and say how many. */
  int cancelTagged(String tag);

  /**
   * What is due.
   *
   * @param now what time it is
   * @param due schedules whose next due time has come, the most overdue first
   * @param blocked whether there are more that are due and must not overlap with a live job
   * @param next how long until the next due time that has not come; empty where there is none
   */
  record DueReport(Instant now, List<Kept> due, boolean blocked, Optional<Duration> next) {}

  /**
   * Find schedules that are due, at most the given number. One with overlap QUEUE is left out while
   * a live job of its task holds the unique key {@link #overlapKey}, and one that was {@link
   * #putOff} until that time is over. If more are due, they are chosen by chance among the most
   * overdue ones, so that several nodes do not try the same ones.
   */
  DueReport due(int limit);

  /**
   * Do not report a schedule as due for this time, since it could not be fired; unless it has been
   * changed or fired since the caller saw it. Firing it stays possible.
   */
  void putOff(Kept seen, Duration delay);

  /** The unique key that jobs of a schedule hold while they are live, unless they may overlap. */
  static String overlapKey(String scheduleId) {
    return "schedule:" + scheduleId;
  }

  /**
   * A job for one due time.
   *
   * @param time the due time
   * @param once the key that lets this due time be fired once
   * @param job its own unique key, if any, keeps it from overlapping with others
   */
  record Firing(Instant time, UniqueKey once, NewJob job) {}

  /**
   * A wish to fire.
   *
   * @param seen the schedule as the caller saw it
   * @param firings the jobs to make; none to pass over what was missed
   * @param last the latest due time that this settles
   * @param next the due time after that; null if there is none
   */
  record FireOrder(Kept seen, List<Firing> firings, Instant last, @Nullable Instant next) {
    public FireOrder {
      firings = List.copyOf(firings);
    }
  }

  /** What became of a {@link FireOrder}. */
  enum Settled {
    /** The schedule goes on to its next due time, and what could be made was made. */
    FIRED,
    /** Others were quicker, or it was changed, paused or cancelled; nothing was changed. */
    LOST,
    /** A live job is in the way, and the due time waits for it to end; nothing was changed. */
    BLOCKED
  }

  /**
   * The answer to a {@link FireOrder}.
   *
   * @param created the jobs that were made
   */
  record FireReport(Settled answer, List<JobId> created) {}

  /**
   * Settle due times in one step: move the schedule on, if its revision and its next due time are
   * as they were seen and it is not paused, and make the jobs whose once-key was free and that
   * overlap with none.
   */
  FireReport fire(FireOrder order);

  /**
   * A declaration by a live node.
   *
   * @param generation grows with each new declaration of a schedule; one that was made before has
   *     the number it got then, as long as anybody remembers
   */
  record Declaration(String scheduleId, String fingerprint, long generation) {}

  /**
   * A schedule as far as declarations go.
   *
   * @param declared null for one made by a client
   * @param over whether it is due no more, though nobody cancelled it
   */
  record Standing(@Nullable Declared declared, boolean over) {}

  /**
   * What is declared, and what has come of it.
   *
   * @param live what live nodes of the application declare
   * @param kept by id, the schedules that these declare, and all others of the application
   */
  record Survey(List<Declaration> live, Map<String, Standing> kept) {
    public Survey {
      live = List.copyOf(live);
      kept = Map.copyOf(kept);
    }
  }

  /**
   * Note what a node declares: exactly these schedules, by id, with their fingerprints. A node that
   * is not alive in the books declares nothing. Where all of it was noted before, this only looks.
   */
  Survey declare(UUID incarnation, String application, Map<String, String> fingerprints);

  /**
   * Delete the schedules of an application that no live node declares, in one guarded step, if the
   * node that asks is alive itself.
   *
   * @return the ids of those that this call cancelled
   */
  List<String> cancelUndeclared(UUID incarnation, String application);
}
