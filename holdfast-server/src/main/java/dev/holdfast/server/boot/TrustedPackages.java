package dev.holdfast.server.boot;

import dev.holdfast.engine.held.FairSlots;
import dev.holdfast.engine.node.NodeBuilder;
import dev.holdfast.engine.node.NodeCore;
import dev.holdfast.engine.store.Store;
import dev.holdfast.server.node.ServerProcess;
import dev.holdfast.server.node.TenantLinks;
import dev.holdfast.server.packages.PackageHost;
import dev.holdfast.server.tenant.OpenTenant;
import dev.holdfast.server.tenant.SchemaTenants;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Lets nodes of packages run in the process of a server, if it trusts them.
 *
 * @param processes creates a registration beside that of the server
 */
record TrustedPackages(
    NodeSetup setup,
    NodeCore.Settings registration,
    SchemaTenants all,
    TenantLinks links,
    FairSlots slots,
    Supplier<ServerProcess> processes)
    implements PackageHost {

  @Override
  public List<OpenTenant> tenants() {
    Set<String> only = setup.config().work().tenants();
    return all.opened().stream()
        .filter(tenant -> only.isEmpty() || only.contains(tenant.tenant().name()))
        .toList();
  }

  @Override
  public Set<String> queues() {
    return setup.config().queues().keySet();
  }

  @Override
  public boolean trusts() {
    // Not how many are opened: those that are being migrated or deleted have code and data, too.
    return setup.config().packages().trust() || all.haveAtMostOne();
  }

  @Override
  public ServerProcess register(String id, String name, Set<String> tasks) {
    NodeCore.Settings own = registration;
    return processes
        .get()
        .start(
            new NodeCore.Settings(
                id,
                name,
                own.queues(),
                tasks,
                Set.of("package"),
                own.capacity(),
                own.modes(),
                own.liveness()),
            setup.metrics().registry());
  }

  @Override
  public Store store(OpenTenant tenant, ServerProcess process) {
    return links.store(tenant::tenant, process);
  }

  @Override
  public NodeBuilder builder(OpenTenant tenant, Store store) {
    return setup.configured(tenant, store);
  }

  @Override
  public FairSlots.Share share(OpenTenant tenant) {
    return slots.share(tenant.tenant().settings().weight(), tenant.tenant().settings().maxHeld());
  }
}
