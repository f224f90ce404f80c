package dev.holdfast.server.node;

import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.engine.intake.ClientSettings;
import dev.holdfast.engine.intake.JobOrigin;
import dev.holdfast.engine.notify.ClusterCoordinator;
import dev.holdfast.engine.store.Store;
import dev.holdfast.postgres.PostgresStore;
import dev.holdfast.postgres.SharedConnections;
import dev.holdfast.server.tenant.Tenant;
import dev.holdfast.server.tenant.TenantAccess;
import io.opentelemetry.api.OpenTelemetry;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Connects the tenants of a server with its connections, its signals and its node, if any. */
public final class TenantLinks implements TenantAccess {
  private final SharedConnections connections;
  private final Holds holds;
  private final TenantSignals signals;
  private final ServerProcess process;
  private final TenantChanges changes;
  private volatile @Nullable ServerNode node;
  private volatile ClientSettings clients = ClientSettings.DEFAULT;
  private volatile IntFunction<JobOrigin> origins = tenant -> JobOrigin.NONE;
  private volatile List<Workflow<?, ?>> workflows = List.of();

  public TenantLinks(
      SharedConnections connections,
      Holds holds,
      TenantSignals signals,
      ServerProcess process,
      TenantChanges changes) {
    this.connections = connections;
    this.holds = holds;
    this.signals = signals;
    this.process = process;
    this.changes = changes;
  }

  /** Sets the node of this server. */
  public void node(ServerNode own) {
    node = own;
  }

  /** Sets which stacks the jobs and runs of tenants belong to. */
  public void origins(IntFunction<JobOrigin> ofTenants) {
    origins = ofTenants;
  }

  /** Lets clients of tenants that are opened from now on start runs of these workflows. */
  public void workflows(List<Workflow<?, ?>> ofServer) {
    workflows = ofServer;
  }

  @Override
  public List<Workflow<?, ?>> workflows() {
    return workflows;
  }

  /** Traces the calls of the clients of tenants that are opened from now on. */
  public void tracing(OpenTelemetry telemetry) {
    clients = clients.with(settings -> settings.telemetry(telemetry));
  }

  @Override
  public ClientSettings clients() {
    return clients;
  }

  @Override
  public JobOrigin origin(Tenant tenant) {
    return origins.apply(tenant.id());
  }

  @Override
  public Store store(Supplier<Tenant> latest) {
    return store(latest, process);
  }

  /** Returns a store whose nodes belong to another registration of this process. */
  public Store store(Supplier<Tenant> latest, ServerProcess registration) {
    Tenant tenant = latest.get();
    return PostgresStore.sharing(
        connections,
        tenant.id(),
        tenant.schema(),
        (transaction, incarnation) ->
            holds.join(transaction, registration.incarnation(), tenant.id(), incarnation),
        () -> latest.get().settings().maxHeld());
  }

  @Override
  public ClusterCoordinator coordinator(Tenant tenant) {
    return signals.of(tenant.id());
  }

  @Override
  public <T> T change(Tenant tenant, Supplier<T> change) {
    return changes.make(tenant.id(), change);
  }

  @Override
  public void wake(Tenant tenant) {
    changes.wake(tenant.id());
  }

  @Override
  public void changed(Tenant tenant) {
    ServerNode own = node;
    if (own != null) {
      own.changed(tenant);
    }
  }
}
