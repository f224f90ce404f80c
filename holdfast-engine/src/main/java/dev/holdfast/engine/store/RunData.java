package dev.holdfast.engine.store;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a planner requested about a run in addition to its row.
 *
 * @param outputs the outputs of steps that succeeded; empty for a step without an output
 * @param items the outputs of the jobs of a map, by position; null for a job without an output
 * @param signals the oldest signal of each name that no step has used
 * @param successes the steps that succeeded, in the order in which they ended
 * @param failures why steps failed
 */
public record RunData(
    Map<Integer, Optional<String>> outputs,
    Map<Integer, List<@Nullable String>> items,
    Map<String, Signal> signals,
    List<Integer> successes,
    Map<Integer, Failure> failures) {

  /** The data of a run of which nothing was requested. */
  public static final RunData NONE = new RunData(Map.of(), Map.of(), Map.of(), List.of(), Map.of());

  /** Returns data with nothing but the outputs of steps. */
  public static RunData ofOutputs(Map<Integer, Optional<String>> outputs) {
    return new RunData(outputs, Map.of(), Map.of(), List.of(), Map.of());
  }

  /**
   * What to read.
   *
   * @param outputs the steps whose outputs are needed
   * @param items the maps whose outputs are needed
   * @param signals the names of signals that steps wait for
   * @param successes whether the order of successes is needed
   * @param failures the failed steps whose failure is needed
   * @param definitions the hashes of graphs that the planner does not know
   */
  public record Needs(
      Set<Integer> outputs,
      Set<Integer> items,
      Set<String> signals,
      boolean successes,
      Set<Integer> failures,
      Set<String> definitions) {
    public static final Needs NOTHING =
        new Needs(Set.of(), Set.of(), Set.of(), false, Set.of(), Set.of());
  }

  /**
   * A signal that was sent to a run.
   *
   * @param id distinguishes it from others of the same name
   * @param payload the encoded payload; null for none
   */
  public record Signal(String name, String id, @Nullable String payload) {}

  /**
   * Why a step failed.
   *
   * @param code a code such as {@code TIMED_OUT}
   * @param message what happened
   */
  public record Failure(String code, String message) {
    /** The outputs of a run are larger than allowed. */
    public static final String RUN_TOO_LARGE = "RUN_TOO_LARGE";

    /** Returns both in one line. */
    public String describe() {
      return code + ": " + message;
    }
  }
}
