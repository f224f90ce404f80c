package dev.holdfast.api.schedule;

/** The result of {@linkplain Schedules#put storing} a schedule. */
public enum PutResult {
  /** A schedule with this id did not exist, and was created. */
  CREATED,
  /** A schedule with this id existed, and was changed. */
  CHANGED,
  /** The same schedule existed; nothing was changed. */
  UNCHANGED
}
