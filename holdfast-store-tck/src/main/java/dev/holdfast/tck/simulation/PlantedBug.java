package dev.holdfast.tck.simulation;

import dev.holdfast.engine.node.LivenessSettings;
import dev.holdfast.engine.store.Store;
import java.util.function.UnaryOperator;

/**
 * A bug that is added to correct nodes, to check that the simulation finds it.
 *
 * @param database wraps the store for all processes
 * @param node wraps the store for one process; called for every process
 * @param liveness changes the liveness settings of nodes
 */
public record PlantedBug(
    UnaryOperator<Store> database,
    UnaryOperator<Store> node,
    UnaryOperator<LivenessSettings> liveness) {

  /** No bug. */
  public static final PlantedBug NONE =
      new PlantedBug(UnaryOperator.identity(), UnaryOperator.identity(), UnaryOperator.identity());

  /** A bug in the store. */
  public static PlantedBug inDatabase(UnaryOperator<Store> database) {
    return new PlantedBug(database, UnaryOperator.identity(), UnaryOperator.identity());
  }

  /** A bug in each process. */
  public static PlantedBug inNodes(UnaryOperator<Store> node) {
    return new PlantedBug(UnaryOperator.identity(), node, UnaryOperator.identity());
  }
}
