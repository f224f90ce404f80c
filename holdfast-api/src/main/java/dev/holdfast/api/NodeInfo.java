package dev.holdfast.api;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A node as people look at it.
 *
 * @param id what people call it
 * @param name what else people call it
 * @param incarnation new at every start, and after every fencing
 * @param alive whether it is alive in the books
 * @param startedAt when this incarnation began
 * @param sinceLastHeartbeat how long ago it was last heard of, by the database's clock
 * @param mode what it does with work
 * @param modeOverrides what it does with work of tasks whose names match a pattern
 * @param stack the fleet it belongs to; null for none
 * @param serves the fleets whose jobs it runs, besides jobs of none
 * @param roles what it does for the cluster
 * @param queues the queues it serves
 * @param tasks the tasks it has handlers for
 * @param running how many jobs it held at its last heartbeat; 0 for a node that has stopped or died
 * @param capacity how many it runs at once
 * @param lostSlots how many of these it cannot run at present, because handlers that ignore their
 *     interrupt occupy the slots until their threads end
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

  public NodeInfo {
    modeOverrides = Map.copyOf(modeOverrides);
    serves = Set.copyOf(serves);
    roles = Set.copyOf(roles);
    queues = Set.copyOf(queues);
    tasks = Set.copyOf(tasks);
  }

  /**
   * A heartbeat of the past.
   *
   * @param node what people call the node
   * @param incarnation whose it was
   * @param at when it came, by the database's clock
   */
  public record Beat(String node, UUID incarnation, String host, long pid, Instant at) {}
}
