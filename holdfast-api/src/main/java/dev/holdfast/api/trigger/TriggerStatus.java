package dev.holdfast.api.trigger;

/** A stored trigger and its state. */
public interface TriggerStatus {

  /** Returns the trigger. */
  Trigger trigger();

  /** Returns whether it is paused: events start nothing. */
  boolean paused();
}
