package dev.holdfast.server.tenant;

import dev.holdfast.api.lease.Leases;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.notify.ClusterCoordinator;
import dev.holdfast.engine.store.Store;
import java.util.function.Supplier;

/** A tenant that this server has opened: its store, and a client on it. */
public interface OpenTenant {

  /** Returns the tenant as it was read last. */
  Tenant tenant();

  /** Returns its store. */
  Store store();

  /** Returns a client on its store. */
  HoldfastClient client();

  /** Returns what carries the signals of its nodes and clients. */
  ClusterCoordinator signals();

  /** Returns its leases, to find and list them. */
  Leases leases();

  /**
   * Makes a change that may give this tenant work, and makes sure that a node finds that work:
   * nodes do not look at tenants without work. Whatever happens to this process, a node looks at
   * the tenant after the change.
   */
  <T> T change(Supplier<T> change);

  /** Makes sure that a node looks at this tenant, in which there may be work. */
  void wake();
}
