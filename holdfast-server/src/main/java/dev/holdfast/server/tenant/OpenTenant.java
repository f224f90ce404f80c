package dev.holdfast.server.tenant;

import dev.holdfast.api.lease.Leases;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.notify.ClusterCoordinator;
import dev.holdfast.engine.store.Store;

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
   * Makes sure that a node looks at this tenant now and for some time. Must be called before its
   * work is changed: nodes do not look at tenants without work.
   */
  void wake();
}
