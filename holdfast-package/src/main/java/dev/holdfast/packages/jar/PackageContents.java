package dev.holdfast.packages.jar;

import dev.holdfast.engine.store.Definitions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What the modules of a package have added when it was loaded.
 *
 * @param tasks the names of the tasks that it has handlers for
 * @param workflows the hashes of the graphs of its workflows, by name
 * @param graphs the graphs of its workflows and of those that they start, as they are stored
 */
public record PackageContents(
    List<String> tasks, Map<String, String> workflows, List<Definitions.Definition> graphs) {

  /**
   * Compares this with what a manifest says.
   *
   * @throws InvalidPackageException if it says something else
   */
  public void check(PackageManifest manifest) {
    List<String> lies = new ArrayList<>();
    List<String> sorted = tasks.stream().sorted().toList();
    if (!sorted.equals(manifest.tasks())) {
      lies.add("tasks %s, but the package has %s".formatted(manifest.tasks(), sorted));
    }
    if (!workflows.equals(manifest.workflows())) {
      lies.add(
          workflows.keySet().equals(manifest.workflows().keySet())
              ? "other graphs of its workflows than the package has"
              : "workflows %s, but the package has %s"
                  .formatted(manifest.workflows().keySet(), workflows.keySet()));
    }
    if (!lies.isEmpty()) {
      throw new InvalidPackageException(
          "%s lies: it names %s. Build the jar with 'holdfast package build'."
              .formatted(PackageManifest.ENTRY, String.join("; and ", lies)));
    }
  }
}
