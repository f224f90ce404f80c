package dev.holdfast.server.tenant;

import dev.holdfast.api.lease.Leases;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.store.Store;
import java.util.Optional;

/** A tenant that this server has opened: its store, and a client on it. */
public interface OpenTenant {

  /** Returns the tenant as it was read last. */
  Tenant tenant();

  /** Returns its store. */
  Store store();

  /** Returns a client on its store. */
  HoldfastClient client();

  /** Returns its leases, to find and list them. */
  Leases leases();

  /** Returns whether the node of this server for the tenant works; empty if it has none. */
  Optional<Boolean> nodeIsReady();
}
