package dev.holdfast.engine.store;

import dev.holdfast.api.workflow.RunId;

/**
 * The step of a run that a job executes.
 *
 * @param run the run
 * @param step the position of the step in the graph of the run
 * @param item the position of the element, for a job of a map; {@link #NO_ITEM} otherwise
 */
public record StepRef(RunId run, int step, int item) {
  public static final int NO_ITEM = -1;
}
