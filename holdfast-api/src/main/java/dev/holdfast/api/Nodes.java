package dev.holdfast.api;

/**
 * Steer nodes from anywhere. A node is meant by its id; where several live nodes share one, all of
 * them are. A node hears of it at its next heartbeat at the latest.
 */
public interface Nodes {

  /**
   * Tell a node to give up everything it holds and start over, as if it had been found dead. A node
   * that does not answer is found dead when its terms lapse.
   *
   * @return how many live nodes of this id there are
   */
  int dismiss(String id);

  /**
   * Tell a node what to do with work.
   *
   * @return how many live nodes of this id there are
   */
  int mode(String id, NodeMode mode);

  /**
   * Tell a node what to do with work of tasks whose names match a pattern.
   *
   * @return how many live nodes of this id there are
   */
  int mode(String id, String pattern, NodeMode mode);

  /**
   * Let a node make no exception for this pattern any more.
   *
   * @return how many live nodes of this id there are
   */
  int clearMode(String id, String pattern);

  /**
   * Let a node make no exceptions any more.
   *
   * @return how many live nodes of this id there are
   */
  int clearModes(String id);
}
