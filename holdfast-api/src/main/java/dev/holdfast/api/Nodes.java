package dev.holdfast.api;

import java.util.List;

/**
 * Look at nodes and steer them, from anywhere. A node is meant by its id; where several live nodes
 * share one, all of them are. A node hears of it at its next heartbeat at the latest.
 */
public interface Nodes {

  /** All nodes that live or died lately, with what they do with work. */
  List<NodeInfo> list();

  /**
   * The latest heartbeats of a node, latest first, as far as it was set to keep them. They are
   * thrown away after a day.
   *
   * @param limit how many at most, 1 to 10,000
   */
  List<NodeInfo.Beat> beats(String id, int limit);

  /**
   * Tell a node to give up everything it holds and start over, as if it had been found dead. A node
   * that does not answer is found dead when its terms lapse.
   *
   * @return how many live nodes of this id there are
   */
  int fence(String id);

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
