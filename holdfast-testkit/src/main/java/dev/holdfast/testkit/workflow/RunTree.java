package dev.holdfast.testkit.workflow;

import dev.holdfast.api.Holdfast;
import dev.holdfast.api.UnknownRunException;
import dev.holdfast.api.workflow.Run;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.api.workflow.RunStep;
import dev.holdfast.engine.store.StepRef;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Names steps by their path from a run: {@code inner/pay} is step pay of the child of inner. */
final class RunTree {
  private final Holdfast client;
  private final Map<RunId, Place> places = new HashMap<>();

  /**
   * Where a run is in its tree.
   *
   * @param steps the names of its steps
   * @param parent its parent; null for none
   * @param step the step of the parent that started it; null for none
   */
  private record Place(List<String> steps, @Nullable RunId parent, @Nullable String step) {}

  RunTree(Holdfast client) {
    this.client = client;
  }

  Run read(RunId id) {
    return client.runs().find(id).orElseThrow(() -> new UnknownRunException(id));
  }

  /** Returns the path of a step from the given run; empty if the step is not below that run. */
  Optional<String> path(RunId from, StepRef step) {
    String name = place(step.run()).steps().get(step.step());
    return path(from, step.run(), step.item() == StepRef.NO_ITEM ? name : name + item(step));
  }

  private static String item(StepRef step) {
    return "[%d]".formatted(step.item());
  }

  private Optional<String> path(RunId from, RunId run, String name) {
    if (run.equals(from)) {
      return Optional.of(name);
    }
    Place place = place(run);
    return place.parent() == null
        ? Optional.empty()
        : path(from, place.parent(), place.step() + "/" + name);
  }

  /** Returns the name of a step within its run. */
  String nameOf(StepRef step) {
    return place(step.run()).steps().get(step.step());
  }

  private Place place(RunId id) {
    Place known = places.get(id);
    if (known == null) {
      Run run = read(id);
      RunId parent = run.parent().orElse(null);
      known = new Place(names(run), parent, parent == null ? null : starting(read(parent), id));
      places.put(id, known);
    }
    return known;
  }

  private static List<String> names(Run run) {
    return run.steps().stream().map(RunStep::name).toList();
  }

  private static @Nullable String starting(Run parent, RunId child) {
    return parent.steps().stream()
        .filter(step -> step.child().filter(child::equals).isPresent())
        .map(RunStep::name)
        .findFirst()
        .orElse(null);
  }
}
