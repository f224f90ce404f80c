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
 * Stores schedules. The store keeps due times and compares them with its own clock; the engine
 * computes them from the recurrence.
 *
 * <p>Every write to a schedule gives it a new revision, from one sequence for all schedules, and
 * names the revision it expects: a write that is based on an old revision changes nothing.
 */
public interface ScheduleStore {

  /**
   * The declaration that a schedule comes from.
   *
   * @param application the name of the application
   * @param fingerprint distinguishes one declaration of the schedule from another
   */
  record Declared(String application, String fingerprint) {}

  /**
   * A schedule to be written.
   *
   * @param declared null for a schedule created by a client
   * @param anchor the time from which intervals are counted
   * @param nextFire null if it has no further due time
   */
  record Draft(
      SchedulePlan plan,
      @Nullable Declared declared,
      boolean paused,
      Instant anchor,
      @Nullable Instant nextFire) {}

  /**
   * A schedule as stored.
   *
   * @param cancelled whether it is declared and was cancelled: it stays so until its declaration
   *     changes
   * @param lastFire the latest due time that was fired, or skipped
   */
  record Kept(Draft draft, long revision, boolean cancelled, @Nullable Instant lastFire) {
    public SchedulePlan plan() {
      return draft.plan();
    }
  }

  /** A schedule, if there is one with that id, and the time of the store's clock. */
  record Glance(Instant now, Optional<Kept> kept) {}

  /** Reads one schedule, including a declared one that was cancelled. */
  Glance look(String id);

  /** Lists all schedules that are not cancelled, by id. */
  List<Kept> list();

  /**
   * Writes a schedule if it has not changed since the caller read it; a cancelled one becomes
   * active again.
   *
   * @param seen its revision; null if there was none with this id
   * @return whether it was written
   */
  boolean save(Draft draft, @Nullable Long seen);

  /**
   * Deletes a schedule, or marks it cancelled if it is declared; returns 1, or 0 if there is none.
   */
  int cancel(String id);

  /** Cancels all schedules with a tag and returns how many. */
  int cancelTagged(String tag);

  /**
   * The schedules that are due.
   *
   * @param now the time of the store's clock
   * @param due schedules whose next due time has come, the most overdue first
   * @param blocked whether more schedules are due that must not overlap with a live job
   * @param next how long until the next due time that has not come; empty if there is none
   */
  record DueReport(Instant now, List<Kept> due, boolean blocked, Optional<Duration> next) {}

  /**
   * Finds schedules that are due, at most the given number. A schedule with overlap QUEUE is left
   * out while a live job of its task holds the unique key {@link #overlapKey}, and a schedule that
   * was {@link #putOff} is left out until that time is over. If more are due, they are chosen at
   * random among the most overdue ones, so that several nodes do not try the same ones.
   */
  DueReport due(int limit);

  /**
   * Stops reporting a schedule as due for the given time, since it could not be fired; has no
   * effect if it has been changed or fired since the caller read it. Firing it remains possible.
   */
  void putOff(Kept seen, Duration delay);

  /**
   * Returns the unique key that jobs of a schedule hold while they are live, unless they may
   * overlap.
   */
  static String overlapKey(String scheduleId) {
    return "schedule:" + scheduleId;
  }

  /**
   * A job for one due time.
   *
   * @param time the due time
   * @param once the unique key that lets this due time be fired once
   * @param job its own unique key, if any, keeps it from overlapping with others
   */
  record Firing(Instant time, UniqueKey once, NewJob job) {}

  /**
   * A request to fire a schedule.
   *
   * @param seen the schedule as the caller read it
   * @param firings the jobs to create; empty to skip missed due times
   * @param last the latest due time that this request settles
   * @param next the due time after that; null if there is none
   */
  record FireOrder(Kept seen, List<Firing> firings, Instant last, @Nullable Instant next) {
    public FireOrder {
      firings = List.copyOf(firings);
    }
  }

  /** The outcome of a {@link FireOrder}. */
  enum Settled {
    /** The schedule moved to its next due time, and the jobs that could be created were created. */
    FIRED,
    /**
     * Another node was faster, or the schedule was changed, paused or cancelled; nothing was
     * changed.
     */
    LOST,
    /**
     * A live job blocks the schedule, and the due time waits for it to end; nothing was changed.
     */
    BLOCKED
  }

  /**
   * The result of a {@link FireOrder}.
   *
   * @param created the jobs that were created
   */
  record FireReport(Settled result, List<JobId> created) {}

  /**
   * Settles due times in one step: moves the schedule to its next due time, if its revision and due
   * time are as the caller read them and it is not paused, and creates the jobs whose once-key is
   * free and that overlap with no other job.
   */
  FireReport fire(FireOrder order);

  /**
   * A declaration by a live node.
   *
   * @param generation grows with each new declaration of a schedule; a declaration that was made
   *     before keeps the number it got then, as long as it is stored
   */
  record Declaration(String scheduleId, String fingerprint, long generation) {}

  /**
   * A stored schedule, as far as declarations are concerned.
   *
   * @param declared null for a schedule created by a client
   * @param over whether it has no further due time, although it was not cancelled
   */
  record Standing(@Nullable Declared declared, boolean over) {}

  /**
   * The live declarations of an application, and the stored schedules.
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
   * Records what a node declares: exactly these schedules, by id, with their fingerprints. Nothing
   * is recorded for a node that is not recorded as alive. If all of it was recorded before, this
   * only reads.
   */
  Survey declare(UUID incarnation, String application, Map<String, String> fingerprints);

  /**
   * Deletes the schedules of an application that no live node declares, in one guarded step, if the
   * calling node is alive itself.
   *
   * @return the ids of the schedules that this call cancelled
   */
  List<String> cancelUndeclared(UUID incarnation, String application);
}
