package dev.holdfast.server.api;

import dev.holdfast.api.lease.Leases;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.lease.HoldfastLeases;
import dev.holdfast.engine.notify.ClusterCoordinator;
import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.NodeSnapshot;
import dev.holdfast.engine.store.NodeStore;
import dev.holdfast.engine.store.Store;
import dev.holdfast.server.http.Cursors;
import dev.holdfast.server.http.LocalCalls;
import dev.holdfast.server.http.RawRequest;
import dev.holdfast.server.http.RawResponse;
import dev.holdfast.server.http.Route;
import dev.holdfast.server.http.Router;
import dev.holdfast.server.node.NodeDirectory;
import dev.holdfast.server.tenant.OpenTenant;
import dev.holdfast.server.tenant.Tenant;
import dev.holdfast.server.tenant.TenantSettings;
import dev.holdfast.server.tenant.TenantState;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The routes of one tenant, called directly on its store: no HTTP, no keys, no audit log. A program
 * that is written against the API works on a plain database with it.
 *
 * <p>Routes about tenants, keys, the audit log and streams do not exist here.
 */
public final class LocalApi implements AutoCloseable {
  /** The name of the only tenant. */
  public static final String TENANT = "default";

  /** Nothing is protected by it: the caller has the database. */
  private static final byte[] CURSOR_SECRET = "local".getBytes(StandardCharsets.UTF_8);

  private final OnlyTenant tenant;
  private final LocalCalls calls;

  /** Creates an API on a store, which stays open when the API is closed. */
  public LocalApi(Store store) {
    this.tenant =
        new OnlyTenant(
            new Tenant(
                1, TENANT, TenantState.ACTIVE, Instant.EPOCH, TenantSettings.DEFAULT, null, null),
            store,
            HoldfastClient.on(store),
            HoldfastLeases.on(store));
    this.calls = new LocalCalls(new Router(routes(services(tenant))), tenant);
  }

  /**
   * Handles a request.
   *
   * @param path the encoded path
   * @param query the encoded query; null for none
   */
  public RawResponse handle(String method, String path, @Nullable String query, byte[] body) {
    return calls.handle(
        new RawRequest(
            method,
            path,
            query,
            header -> null,
            new ByteArrayInputStream(body),
            body.length,
            "local",
            false));
  }

  private static List<Route> routes(Services services) {
    List<Route> routes = new ArrayList<>();
    routes.addAll(new JobRoutes(services).routes());
    routes.addAll(new QueueRoutes(services).routes());
    routes.addAll(new ScheduleRoutes(services).routes());
    routes.addAll(new TriggerRoutes(services).routes());
    routes.addAll(new RunRoutes(services).routes());
    routes.addAll(new WorkflowRoutes(services).routes());
    routes.addAll(new NodeRoutes(services).routes());
    return routes;
  }

  @SuppressWarnings("NullAway") // These routes use no control schema, and so no keys and no audit.
  private static Services services(OnlyTenant tenant) {
    return new Services(
        null,
        null,
        null,
        new OnlyTenants(tenant),
        new OnlyNodes(tenant.tenant().id(), tenant.store().nodes()),
        null,
        null,
        new Cursors(CURSOR_SECRET));
  }

  /** The only tenant of a database without a control schema. */
  record OnlyTenant(Tenant tenant, Store store, HoldfastClient client, HoldfastLeases owned)
      implements OpenTenant {
    @Override
    public ClusterCoordinator signals() {
      return store.coordinator();
    }

    @Override
    public Leases leases() {
      return owned;
    }

    @Override
    public <T> T change(Supplier<T> change) {
      return change.get();
    }

    @Override
    public void wake() {} // The nodes of this database look for work anyway.
  }

  /** The nodes of a database without a control schema. They belong to its only tenant. */
  private record OnlyNodes(int tenant, NodeStore nodes) implements NodeDirectory {
    @Override
    public List<NodeSnapshot> list() {
      return nodes.list();
    }

    @Override
    public List<Integer> tenants(UUID incarnation) {
      return List.of(tenant);
    }

    /** The tenant has the modes of its nodes, so there is nothing else to change. */
    @Override
    public boolean change(UUID incarnation, UnaryOperator<Modes> change) {
      return nodes.list().stream()
          .anyMatch(node -> node.alive() && node.registration().incarnation().equals(incarnation));
    }
  }

  @Override
  public void close() {
    tenant.owned().close();
    tenant.client().close();
  }
}
