package dev.holdfast.engine.store;

import dev.holdfast.api.schedule.PutResult;
import dev.holdfast.api.trigger.Trigger;
import dev.holdfast.api.trigger.TriggerStatus;
import java.util.List;
import java.util.Optional;

/** Stores triggers: which events start which tasks. */
public interface TriggerStore {

  /**
   * Writes a trigger and replaces the one with the same id, if any. A paused trigger stays paused.
   */
  PutResult put(Trigger trigger);

  /** Returns the trigger with this id, if there is one. */
  Optional<TriggerStatus> find(String id);

  /** Lists all triggers, by id. */
  List<TriggerStatus> list();

  /**
   * Pauses or resumes a trigger.
   *
   * @return whether there is one with this id
   */
  boolean pause(String id, boolean paused);

  /**
   * Deletes a trigger and the stored state of its subjects. Jobs that it has created stay.
   *
   * @return whether there was one
   */
  boolean delete(String id);
}
