package dev.holdfast.server.node;

import dev.holdfast.engine.intake.ClientSettings;
import dev.holdfast.engine.notify.ClusterCoordinator;
import dev.holdfast.engine.store.Store;
import dev.holdfast.postgres.PostgresStore;
import dev.holdfast.postgres.SharedConnections;
import dev.holdfast.server.tenant.Tenant;
import dev.holdfast.server.tenant.TenantAccess;
import io.opentelemetry.api.OpenTelemetry;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Connects the tenants of a server with its connections, its signals and its node, if it has one.
 *
 * <p>A hint is left before a change, not with it, and serves all changes of some seconds: a node
 * that takes it stays in the tenant for longer than that, and looks once more before it leaves. So
 * an enqueue costs what it costs without tenants. A change that takes unusually long leaves another
 * hint afterwards.
 */
public final class TenantLinks implements TenantAccess {
  private static final Duration LONGEST_WINDOW = Duration.ofSeconds(5);

  /** By which a node stays longer in a tenant than hints are relied on. */
  private static final int MARGIN = 4;

  private final SharedConnections connections;
  private final Holds holds;
  private final Hints hints;
  private final TenantSignals signals;
  private final long window;
  private final Map<Integer, Long> lastHints = new ConcurrentHashMap<>();
  private volatile @Nullable ServerNode node;
  private volatile ClientSettings clients = ClientSettings.DEFAULT;

  /**
   * @param idle how long nodes stay in a tenant without work, the same for all servers
   */
  public TenantLinks(
      SharedConnections connections,
      Holds holds,
      Hints hints,
      TenantSignals signals,
      Duration idle) {
    this.connections = connections;
    this.holds = holds;
    this.hints = hints;
    this.signals = signals;
    this.window = Math.min(LONGEST_WINDOW.toNanos(), idle.toNanos() / MARGIN);
  }

  /** Sets the node of this server. */
  public void node(ServerNode own) {
    node = own;
  }

  /** Traces the calls of the clients of tenants that are opened from now on. */
  public void tracing(OpenTelemetry telemetry) {
    clients = clients.tracing(telemetry);
  }

  @Override
  public ClientSettings clients() {
    return clients;
  }

  @Override
  public Store store(Tenant tenant) {
    return PostgresStore.sharing(
        connections,
        tenant.id(),
        tenant.schema(),
        (transaction, incarnation) -> holds.join(transaction, process(), tenant.id(), incarnation));
  }

  private UUID process() {
    ServerNode own = node;
    if (own == null) {
      throw new IllegalStateException("This server has no node");
    }
    return own.incarnation();
  }

  @Override
  public ClusterCoordinator coordinator(Tenant tenant) {
    return signals.of(tenant.id());
  }

  @Override
  public void wake(Tenant tenant) {
    ServerNode own = node;
    if (own != null && own.expect(tenant.id())) {
      return;
    }
    long now = System.nanoTime();
    Long last = lastHints.get(tenant.id());
    if (last == null || now - last >= window) {
      hints.append(tenant.id());
      lastHints.put(tenant.id(), now);
    }
  }

  @Override
  public void changed(Tenant tenant) {
    ServerNode own = node;
    if (own != null) {
      own.changed(tenant);
    }
  }
}
