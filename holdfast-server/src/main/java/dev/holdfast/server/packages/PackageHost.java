package dev.holdfast.server.packages;

import dev.holdfast.engine.held.FairSlots;
import dev.holdfast.engine.node.NodeBuilder;
import dev.holdfast.engine.store.Store;
import dev.holdfast.server.node.ServerProcess;
import dev.holdfast.server.tenant.OpenTenant;
import java.util.Set;

/** What the server gives to nodes of packages in its process. */
public interface PackageHost {

  /** Returns the tenants for whose packages this server works. */
  Iterable<OpenTenant> tenants();

  /** Returns the queues that this server serves. */
  Set<String> queues();

  /** Returns whether code of packages may run in this process. */
  boolean trusts();

  /**
   * Registers a node beside that of the server. It has its own heartbeat, so that other servers
   * notice if its jobs have to be taken over.
   *
   * @param name what operators see
   */
  ServerProcess register(String id, String name, Set<String> tasks);

  /** Returns a store in a tenant whose nodes belong to this registration. */
  Store store(OpenTenant tenant, ServerProcess registration);

  /** Configures a node of a tenant, without tasks. */
  NodeBuilder builder(OpenTenant tenant, Store store);

  /** Returns a share of the slots of the server. */
  FairSlots.Share share(OpenTenant tenant);
}
