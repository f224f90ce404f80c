package dev.holdfast.api;

import java.util.List;
import java.util.Optional;

/**
 * Lists and controls the nodes of the cluster, from any process. If several live nodes share an id,
 * a method applies to all of them. A node learns of a change at its next heartbeat at the latest.
 */
public interface Nodes {

  /** Lists the nodes that are alive or died in about the last day, with their modes. */
  List<NodeInfo> list();

  /**
   * Finds a node.
   *
   * @return the live node with this id, or the one that died last; empty if there has been none in
   *     about the last day
   */
  Optional<NodeInfo> find(String id);

  /**
   * Lists the past heartbeats of a node, latest first. Only a node that is configured with {@code
   * keepHeartbeats} has any. They are deleted after the time set there.
   *
   * @param limit the maximum number of heartbeats, 1 to 10,000
   */
  List<NodeInfo.Heartbeat> heartbeats(String id, int limit);

  /**
   * Fences a node: it gives up all jobs it holds and starts again as a new incarnation, as if it
   * had been declared dead. A node that does not respond is declared dead when its timeout ends.
   *
   * @return how many live nodes with this id were fenced
   */
  int fence(String id);

  /**
   * Declares dead a node that is known to have died, without waiting for its timeout: its
   * incarnation is fenced immediately, and live nodes recover its jobs as after any crash. Use it
   * when the process or its machine is certainly gone, and the timeout of the node is long.
   *
   * <p>If the node is alive after all, none of its later writes is accepted, and it gives up its
   * jobs and starts again as a new incarnation when it sends its next heartbeat. Until then it may
   * run a job at the same time as the node that recovered it, so use {@link #fence} for a node that
   * may be alive. A node that sends a heartbeat while this method runs is left alone.
   *
   * <p>The jobs of nodes with this id that were dead before are recovered immediately as well,
   * instead of at the next sweep. If no node is alive that recovers them, they wait for one.
   *
   * @return how many nodes with this id were declared dead
   */
  int recover(String id);

  /**
   * Sets the mode of a node.
   *
   * @return how many live nodes with this id were changed
   */
  int mode(String id, NodeMode mode);

  /**
   * Sets the mode of a node for tasks whose names match a pattern: a mode override.
   *
   * @param pattern a task name with wildcards: {@code *} matches within a segment, {@code **}
   *     across segments
   * @return how many live nodes with this id were changed
   */
  int mode(String id, String pattern, NodeMode mode);

  /**
   * Removes the mode override for a pattern.
   *
   * @return how many live nodes with this id were changed
   */
  int clearMode(String id, String pattern);

  /**
   * Removes all mode overrides of a node.
   *
   * @return how many live nodes with this id were changed
   */
  int clearModes(String id);
}
