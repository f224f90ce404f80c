package dev.holdfast.api.trigger;

import dev.holdfast.api.schedule.PutResult;
import java.util.List;
import java.util.Optional;

/**
 * Stores, finds, pauses and deletes triggers for the whole cluster. A change takes effect with the
 * next event.
 */
public interface Triggers {

  /** Stores a trigger, replacing the one with the same id. A paused trigger stays paused. */
  PutResult put(Trigger trigger);

  /**
   * Finds a trigger.
   *
   * @return the trigger; empty if it does not exist
   */
  Optional<TriggerStatus> find(String id);

  /** Lists all triggers, ordered by id. */
  List<TriggerStatus> list();

  /**
   * Pauses a trigger: events do not start its task until it is resumed. Jobs that already wait for
   * the debounce time still start.
   *
   * @return whether the trigger exists
   */
  boolean pause(String id);

  /**
   * Resumes a trigger. Events that were published during the pause start nothing.
   *
   * @return whether the trigger exists
   */
  boolean resume(String id);

  /**
   * Deletes a trigger. Jobs that already wait for the debounce time still start. A node that
   * declares the trigger stores it again when the node starts.
   *
   * @return whether the trigger existed
   */
  boolean delete(String id);
}
