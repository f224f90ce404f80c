package dev.holdfast.api.schedule;

/** What putting a schedule did. */
public enum PutResult {
  /** There was none of this id. */
  CREATED,
  /** One of this id said otherwise, and was changed. */
  CHANGED,
  /** It was there already, just like this. */
  UNCHANGED
}
