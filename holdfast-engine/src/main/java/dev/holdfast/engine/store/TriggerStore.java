package dev.holdfast.engine.store;

import dev.holdfast.api.trigger.Trigger;
import dev.holdfast.api.trigger.TriggerStatus;
import java.util.List;
import java.util.Optional;

/** Which events start which tasks. */
public interface TriggerStore {

  /** Write a trigger, in place of the one of its id if there is one. A paused one stays paused. */
  void put(Trigger trigger);

  Optional<TriggerStatus> find(String id);

  /** All triggers, by id. */
  List<TriggerStatus> list();

  /**
   * Pause or resume a trigger.
   *
   * @return whether there is one of this id
   */
  boolean pause(String id, boolean paused);

  /**
   * Remove a trigger and what is remembered of its subjects. Jobs it has made stay.
   *
   * @return whether there was one
   */
  boolean remove(String id);
}
