package dev.holdfast.api.schedule;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Work that recurs: make, find and steer schedules for the whole cluster. */
public interface Schedules {

  /**
   * Create a schedule, or change the one of the same id. One whose timing stays the same keeps its
   * next due time, and a paused one stays paused.
   *
   * @throws IllegalArgumentException if its cron expression is wrong, an application declares a
   *     schedule of this id, or the client is strict and no live node serves its queue; nothing was
   *     changed
   */
  PutResult put(Schedule schedule);

  /** Read one schedule. */
  Optional<ScheduleStatus> find(String id);

  /** Every schedule, by id. */
  List<ScheduleStatus> list();

  /**
   * Fire nothing until it is resumed. Jobs that were made before are not affected.
   *
   * @return whether there is such a schedule
   */
  boolean pause(String id);

  /**
   * Fire again, from the next due time on: what was due during the pause is not made up for.
   *
   * @return whether there is such a schedule
   */
  boolean resume(String id);

  /** Make a job of this schedule at once, even while it is paused. Its due times stay the same. */
  FireResult fire(String id);

  /**
   * Let a schedule recur no more. Jobs that were made before are not affected. One that an
   * application declares stays cancelled until its declaration changes.
   *
   * @return how many were cancelled: 1, or 0 if there is no such schedule
   */
  int cancel(String id);

  /** Let all schedules of a tag recur no more and say how many they were. */
  int cancelTagged(String tag);

  /**
   * The next due times of a schedule, by the clock of the database: fewer than asked for if it ends
   * before, none if there is no such schedule.
   *
   * @param count how many at most, 1 to 1000
   */
  List<Instant> next(String id, int count);
}
