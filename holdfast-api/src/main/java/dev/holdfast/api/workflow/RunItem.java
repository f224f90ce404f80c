package dev.holdfast.api.workflow;

import java.util.Optional;

/** An element of a map and its state, as read from the database. */
public interface RunItem {

  /** Returns the position of the element in the list, from 0. */
  int position();

  /**
   * Returns the display text: the field that {@link MapStep#labelItems} names, or the position if
   * the element has no such field.
   */
  String label();

  /** Returns the state: {@link StepState#PENDING} if no job was created for the element yet. */
  StepState state();

  /** Returns the element, encoded. */
  String input();

  /** Returns what its job returned, encoded; empty if it returned nothing, or did not succeed. */
  Optional<String> output();

  /** Returns why it failed: a code, and what happened. */
  Optional<String> failure();
}
