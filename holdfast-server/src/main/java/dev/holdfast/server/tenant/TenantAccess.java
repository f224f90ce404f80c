package dev.holdfast.server.tenant;

import dev.holdfast.engine.intake.ClientSettings;
import dev.holdfast.engine.notify.ClusterCoordinator;
import dev.holdfast.engine.store.Store;

/** How this server reaches the tables and the nodes of tenants. */
public interface TenantAccess {

  /** Returns a store in the schema of a tenant, on connections that all tenants share. */
  Store store(Tenant tenant);

  /** Returns what carries the signals of a tenant. */
  ClusterCoordinator coordinator(Tenant tenant);

  /** Returns the settings of the clients of tenants. */
  ClientSettings clients();

  /**
   * Makes sure that a node looks at a tenant, now and for some time: its work is about to change.
   */
  void wake(Tenant tenant);

  /** Notes that the state or the settings of a tenant may have changed. */
  void changed(Tenant tenant);
}
