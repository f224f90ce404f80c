package dev.holdfast.engine.store;

import dev.holdfast.api.NodeInfo;
import dev.holdfast.api.NodeMode;
import dev.holdfast.engine.store.NodeStore.Lost;
import dev.holdfast.engine.store.NodeStore.NodeRegistration;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A {@link NodeInfo} as a store read it, with what only nodes need to know about each other.
 *
 * @param registration the node as it registered itself
 * @param beat the number of heartbeats it has sent
 * @param running how many jobs it held at its last heartbeat; 0 for a dead node
 * @param modes its mode and the mode overrides
 * @param lost what hung handlers cost it at its last heartbeat; nothing for a dead node
 */
public record NodeSnapshot(
    NodeRegistration registration,
    boolean alive,
    long beat,
    Instant startedAt,
    Duration sinceLastHeartbeat,
    int running,
    Modes modes,
    Lost lost)
    implements NodeInfo {

  @Override
  public String id() {
    return registration.id();
  }

  @Override
  public @Nullable String name() {
    return registration.name();
  }

  @Override
  public UUID incarnation() {
    return registration.incarnation();
  }

  @Override
  public String host() {
    return registration.host();
  }

  @Override
  public long pid() {
    return registration.pid();
  }

  @Override
  public String version() {
    return registration.version();
  }

  @Override
  public NodeMode mode() {
    return modes.node();
  }

  @Override
  public Map<String, NodeMode> modeOverrides() {
    return modes.overrides();
  }

  @Override
  public @Nullable String stack() {
    return registration.stack();
  }

  @Override
  public Set<String> serves() {
    return registration.serves();
  }

  @Override
  public Set<String> roles() {
    return registration.roles();
  }

  @Override
  public Set<String> queues() {
    return registration.queues();
  }

  @Override
  public Set<String> tasks() {
    return registration.tasks();
  }

  @Override
  public int capacity() {
    return registration.capacity();
  }

  @Override
  public int lostSlots() {
    return lost.slots();
  }
}
