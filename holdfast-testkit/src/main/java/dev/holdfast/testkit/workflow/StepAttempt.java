package dev.holdfast.testkit.workflow;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An attempt of a step, as the {@link WorkflowTester} saw it.
 *
 * @param step the name of the step; {@code inner/pay} for step {@code pay} of the child run of step
 *     {@code inner}, and {@code charges[3]} for the fourth element of a map
 * @param number the number of the attempt, from 1
 * @param outcome how it ended
 * @param thrown what the handler threw; null if it returned
 * @param at when it started, in virtual time
 */
public record StepAttempt(
    String step, int number, Outcome outcome, @Nullable Throwable thrown, Instant at) {

  /** How an attempt ended. */
  public enum Outcome {
    /** The handler returned. */
    RETURNED,
    /** The handler threw an exception, or the tester did so in its place. */
    THREW,
    /** The handler sleeps or waits for a signal in a durable step, and is called again later. */
    WAITS,
    /** The node died: the test killed it, or the handler blocked its thread. */
    CRASHED
  }
}
