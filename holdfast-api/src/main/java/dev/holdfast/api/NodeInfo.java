package dev.holdfast.api;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A node and its state when it was read.
 *
 * @param id its id; several nodes can share one
 * @param name its display name; null for none
 * @param incarnation the id of the current run of the node: new at every start, and after every
 *     fencing
 * @param alive whether it is registered as alive
 * @param host the host it runs on
 * @param pid the id of its process
 * @param version the version of Holdfast it runs
 * @param startedAt when this incarnation started
 * @param sinceLastHeartbeat the time since its last heartbeat, by the clock of the database
 * @param mode which work it accepts and runs
 * @param modeOverrides the modes for tasks whose names match a pattern, by pattern
 * @param stack the stack it belongs to; null for none
 * @param serves the stacks whose jobs it runs, in addition to jobs without a stack; {@code *} alone
 *     for all stacks
 * @param roles what it does for the cluster
 * @param queues the queues it serves
 * @param tasks the tasks it has handlers for
 * @param running how many jobs it held at its last heartbeat; 0 for a node that has stopped or died
 * @param capacity how many jobs it runs at the same time
 * @param lostSlots how many slots of its capacity are lost: occupied by handlers that ignore
 *     interruption, until their threads end
 */
public record NodeInfo(
    String id,
    @Nullable String name,
    UUID incarnation,
    boolean alive,
    String host,
    long pid,
    String version,
    Instant startedAt,
    Duration sinceLastHeartbeat,
    NodeMode mode,
    Map<String, NodeMode> modeOverrides,
    @Nullable String stack,
    Set<String> serves,
    Set<String> roles,
    Set<String> queues,
    Set<String> tasks,
    int running,
    int capacity,
    int lostSlots) {

  /** Copies the collections. */
  public NodeInfo {
    modeOverrides = Map.copyOf(modeOverrides);
    serves = Set.copyOf(serves);
    roles = Set.copyOf(roles);
    queues = Set.copyOf(queues);
    tasks = Set.copyOf(tasks);
  }

  /**
   * A past heartbeat.
   *
   * @param node the id of the node
   * @param incarnation the incarnation that sent it
   * @param host the host of the node
   * @param pid the id of the process of the node
   * @param at when it was stored, by the clock of the database
   */
  public record Beat(String node, UUID incarnation, String host, long pid, Instant at) {}
}
