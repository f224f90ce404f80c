package dev.holdfast.api.workflow;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A run as read from the database. */
public interface Run {

  /** Returns the id of the run. */
  RunId id();

  /** Returns the name of the workflow. */
  String workflow();

  /** Returns the hash of the graph that the run pins. */
  String definition();

  /** Returns the state of the run. */
  RunState state();

  /**
   * Returns why the run is paused, being cancelled, or ended without success: a code, and what
   * happened; empty otherwise. It is {@code VERSION_STRANDED} if no live node can continue the run:
   * none reads the format of its graph, or none has a handler for a step that is ready.
   */
  Optional<String> reason();

  /** Returns the input of the run, encoded. */
  Optional<String> input();

  /** Returns the result of the run, encoded; empty if it has none, or has not succeeded. */
  Optional<String> result();

  /** Returns the display text that was given at the start. */
  Optional<String> label();

  /** Returns the tags of the run. */
  Set<String> tags();

  /** Returns the unique key of the run. */
  Optional<String> uniqueKey();

  /** Returns the run whose step started this one. */
  Optional<RunId> parent();

  /** Returns the run that this one is a rerun of. */
  Optional<RunId> origin();

  /** Returns when the run was started, by the clock of the database. */
  Instant createdAt();

  /** Returns when the run ended, by the clock of the database; empty if it is open. */
  Optional<Instant> endedAt();

  /** Returns how many bytes its outputs have in total. */
  long bytes();

  /** Returns the steps, in the order of the graph, including compensations. */
  List<RunStep> steps();

  /** Returns the step with this name; empty if there is none. */
  default Optional<RunStep> step(String name) {
    return steps().stream().filter(step -> step.name().equals(name)).findFirst();
  }
}
