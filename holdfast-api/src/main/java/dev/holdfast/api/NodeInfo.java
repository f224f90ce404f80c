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
 * <p>Holdfast implements this interface, and later versions may add methods to it.
 */
public interface NodeInfo {
  /** Returns its id; several nodes can share one. */
  String id();

  /** Returns its display name; null for none. */
  @Nullable String name();

  /** Returns the id of the current run of the node: new at every start, and after every fencing. */
  UUID incarnation();

  /** Returns whether it is registered as alive. */
  boolean alive();

  /** Returns the host it runs on. */
  String host();

  /** Returns the id of its process. */
  long pid();

  /** Returns the version of Holdfast it runs. */
  String version();

  /** Returns when this incarnation started. */
  Instant startedAt();

  /** Returns the time since its last heartbeat, by the clock of the database. */
  Duration sinceLastHeartbeat();

  /** Returns which work it accepts and runs. */
  NodeMode mode();

  /** Returns the modes for tasks whose names match a pattern, by pattern. */
  Map<String, NodeMode> modeOverrides();

  /** Returns the stack it belongs to; null for none. */
  @Nullable String stack();

  /**
   * Returns the stacks whose jobs it runs, in addition to jobs without a stack; {@code *} alone for
   * all stacks.
   */
  Set<String> serves();

  /** Returns what it does for the cluster. */
  Set<String> roles();

  /** Returns the queues it serves. */
  Set<String> queues();

  /** Returns the tasks it has handlers for. */
  Set<String> tasks();

  /** Returns how many jobs it held at its last heartbeat; 0 for a node that has stopped or died. */
  int running();

  /** Returns how many jobs it runs at the same time. */
  int capacity();

  /**
   * Returns how many slots of its capacity are lost: occupied by handlers that ignore interruption,
   * until their threads end.
   */
  int lostSlots();

  /** A past heartbeat. */
  interface Heartbeat {
    /** Returns the id of the node. */
    String node();

    /** Returns the incarnation that sent it. */
    UUID incarnation();

    /** Returns the host of the node. */
    String host();

    /** Returns the id of the process of the node. */
    long pid();

    /** Returns when it was stored, by the clock of the database. */
    Instant at();
  }
}
