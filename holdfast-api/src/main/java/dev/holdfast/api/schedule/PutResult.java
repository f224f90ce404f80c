package dev.holdfast.api.schedule;

/** The result of storing a schedule or a trigger. */
public enum PutResult {
  /** None with this id existed, and it was created. */
  CREATED,
  /** One with this id existed, and was changed. */
  CHANGED,
  /** The same one existed; nothing was changed. */
  UNCHANGED
}
