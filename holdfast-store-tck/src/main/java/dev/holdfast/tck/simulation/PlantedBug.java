package dev.holdfast.tck.simulation;

import dev.holdfast.engine.node.LivenessSettings;
import dev.holdfast.engine.store.Store;
import java.util.function.UnaryOperator;

/**
 * A bug to be planted around nodes that have none, to see whether the simulation finds it.
 *
 * @param database changes the store for all
 * @param node changes the store as one process sees it; asked anew for every process
 * @param liveness changes how a node shows that it lives
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
