package dev.holdfast.server.tenant;

import dev.holdfast.api.lease.Leases;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.codec.JsonCodec;
import dev.holdfast.engine.lease.HoldfastLeases;
import dev.holdfast.engine.notify.ClusterCoordinator;
import dev.holdfast.engine.store.Store;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A tenant with its own schema. It is a row until it is used, and again when it is not. */
final class SchemaTenant implements OpenTenant {
  private static final Duration UNUSED = Duration.ofMinutes(10);

  /** What exists only while the tenant is used: the statements of a schema take memory. */
  private record Opened(Store store, HoldfastClient client, HoldfastLeases leases) {
    void close() {
      leases.close();
      client.close();
      store.close();
    }
  }

  private final TenantAccess access;
  private volatile Tenant tenant;
  private @Nullable Opened opened;
  private long lastUsed;

  SchemaTenant(Tenant tenant, TenantAccess access) {
    this.tenant = tenant;
    this.access = access;
  }

  @Override
  public Tenant tenant() {
    return tenant;
  }

  private synchronized Opened opened() {
    lastUsed = System.nanoTime();
    Opened known = opened;
    if (known == null) {
      Store store = access.store(this::tenant);
      HoldfastClient client =
          HoldfastClient.on(
              store,
              new JsonCodec(),
              access.clients(),
              access.coordinator(tenant),
              access.origin(tenant));
      // A node registers them too, but clients need not wait for that.
      client.workflows().define(access.workflows());
      known = new Opened(store, client, HoldfastLeases.on(store));
      opened = known;
    }
    return known;
  }

  @Override
  public Store store() {
    return opened().store();
  }

  @Override
  public HoldfastClient client() {
    return opened().client();
  }

  @Override
  public ClusterCoordinator signals() {
    return access.coordinator(tenant);
  }

  @Override
  public Leases leases() {
    return opened().leases();
  }

  @Override
  public <T> T change(Supplier<T> change) {
    return access.change(tenant, change);
  }

  @Override
  public void wake() {
    access.wake(tenant);
  }

  /** Takes over what was read. */
  void update(Tenant latest) {
    tenant = latest;
    access.changed(latest);
  }

  /** Releases memory if it has not been used for a while. */
  synchronized void releaseIfUnused(boolean works) {
    if (works) {
      lastUsed = System.nanoTime();
    } else if (System.nanoTime() - lastUsed > UNUSED.toNanos()) {
      close();
    }
  }

  /** Closes what is open. The connections belong to all tenants. */
  synchronized void close() {
    if (opened != null) {
      opened.close();
      opened = null;
    }
  }
}
