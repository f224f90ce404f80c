package dev.holdfast.api.trigger;

import java.util.List;
import java.util.Optional;

/** Steer triggers for the whole cluster. What is said here holds from the next event on. */
public interface Triggers {

  /** Write a trigger, in place of the one of its id if there is one. A paused one stays paused. */
  void put(Trigger trigger);

  /** Read a trigger. */
  Optional<TriggerStatus> find(String id);

  /** All triggers, by id. */
  List<TriggerStatus> list();

  /**
   * Let events pass this trigger by until it is resumed. What was debounced already still starts.
   *
   * @throws IllegalArgumentException if there is no such trigger
   */
  void pause(String id);

  /**
   * Let events start work again.
   *
   * @throws IllegalArgumentException if there is no such trigger
   */
  void resume(String id);

  /**
   * Remove a trigger for good. What was debounced already still starts, and a node that declares it
   * brings it back when it starts.
   *
   * @return whether there was one
   */
  boolean remove(String id);
}
