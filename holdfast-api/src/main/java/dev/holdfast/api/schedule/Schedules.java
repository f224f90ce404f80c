package dev.holdfast.api.schedule;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Creates, finds, fires, pauses and cancels schedules for the whole cluster. */
public interface Schedules {

  /**
   * Creates a schedule, or changes the one with the same id. A schedule whose timing stays the same
   * keeps its next due time, and a paused one stays paused.
   *
   * @throws IllegalArgumentException if the cron expression is not valid, an application declares a
   *     schedule with this id, or no live node serves the queue and the client has strict queues;
   *     nothing was changed
   */
  PutResult put(Schedule schedule);

  /**
   * Finds a schedule.
   *
   * @return the schedule; empty if it does not exist
   */
  Optional<ScheduleStatus> find(String id);

  /** Lists all schedules, ordered by id. */
  List<ScheduleStatus> list();

  /**
   * Pauses a schedule: it creates no jobs until it is resumed. Existing jobs are not affected.
   *
   * @return whether the schedule exists
   */
  boolean pause(String id);

  /**
   * Resumes a schedule from its next due time on. Due times during the pause are skipped.
   *
   * @return whether the schedule exists
   */
  boolean resume(String id);

  /**
   * Fires a schedule: creates a job immediately, even if the schedule is paused. Its due times do
   * not change.
   */
  FireResult fire(String id);

  /**
   * Cancels a schedule. Existing jobs are not affected. A schedule that an application declares
   * stays cancelled until its declaration changes.
   *
   * @return whether the schedule existed
   */
  boolean cancel(String id);

  /**
   * Cancels all schedules that have a tag. Existing jobs are not affected.
   *
   * @return how many schedules were cancelled
   */
  int cancelTagged(String tag);

  /**
   * Returns the next due times of a schedule, by the clock of the database.
   *
   * @param count the maximum number of due times, 1 to 1000
   * @return the due times; fewer if the schedule ends before, none if it does not exist
   */
  List<Instant> next(String id, int count);
}
