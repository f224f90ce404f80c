package dev.holdfast.server.boot;

import dev.holdfast.engine.held.FairSlots;
import dev.holdfast.engine.node.NodeBuilder;
import dev.holdfast.engine.node.NodeCore;
import dev.holdfast.engine.time.Ticker;
import dev.holdfast.postgres.schema.SchemaScripts;
import dev.holdfast.server.node.ControlNodes;
import dev.holdfast.server.node.Hints;
import dev.holdfast.server.node.Holds;
import dev.holdfast.server.node.NodeDirectory;
import dev.holdfast.server.node.ServerNode;
import dev.holdfast.server.node.ServerNodes;
import dev.holdfast.server.node.ServerProcess;
import dev.holdfast.server.node.TenantChanges;
import dev.holdfast.server.node.TenantLinks;
import dev.holdfast.server.node.TenantSignals;
import dev.holdfast.server.node.WorkerNodes;
import dev.holdfast.server.packages.PackageHost;
import dev.holdfast.server.tenant.SchemaTenants;
import dev.holdfast.server.tenant.TenantMigrations;
import java.time.Duration;

/**
 * Registers a server, opens the tenants of its installation, and creates what runs their jobs: the
 * node of the server, nodes of packages, and remote workers.
 */
final class TenantHosting {
  private static final Duration TENANT_GRACE = Duration.ofDays(7);

  private final Installation installation;
  private final NodeSetup setup;
  private final TenantSignals signals;
  private final Holds holds;
  private final Hints hints;
  private final FairSlots slots;
  private final ControlNodes processes;
  private final ServerProcess process;
  private final NodeCore.Settings registration;
  private final TenantChanges changes;
  private final TenantLinks links;
  private final TenantMigrations migrations;
  private final SchemaTenants tenants;

  /** Checks that this version knows the schemas of all tenants, and registers nothing yet. */
  TenantHosting(Installation installation, NodeSetup setup, CloseStack closing) {
    this.installation = installation;
    this.setup = setup;
    this.signals = new TenantSignals(installation.connections().coordinator(installation.schema()));
    closing.push(signals::close);
    this.holds = new Holds(installation.schema());
    this.hints = new Hints(installation.shared(), installation.schema());
    this.slots =
        new FairSlots(
            setup.config().work().concurrency(), Ticker.system(), this::hasSeveralTenants);
    NodeBuilder sample = setup.sample(installation.connections());
    this.processes = processes(setup.hasNode() ? sample.declarations() : "");
    this.process = process(processes);
    this.registration = setup.registration(sample);
    this.changes = new TenantChanges(process, holds, hints, setup.config().work().tenantIdle());
    this.links = new TenantLinks(installation.connections(), holds, signals, process, changes);
    if (setup.traces() != null) {
      links.tracing(setup.traces());
    }
    links.origins(setup.catalog()::origin);
    links.workflows(sample.workflows());
    this.migrations =
        new TenantMigrations(
            installation.control(), SchemaScripts.load(installation.connections().migrating()));
    migrations.requireKnown();
    this.tenants =
        new SchemaTenants(
            installation.control(),
            installation.keys(),
            installation.audit(),
            new SchemaTenants.Settings(TENANT_GRACE, migrations, links));
    closing.push(tenants::close);
  }

  /**
   * @param declarations what the process registers in tenants, as a hash
   */
  private ControlNodes processes(String declarations) {
    return new ControlNodes(
        installation.shared(),
        installation.connections().heart(installation.schema()),
        installation.connections().session(),
        slots::used,
        declarations);
  }

  private ServerProcess process(ControlNodes registered) {
    return new ServerProcess(registered, holds, signals, installation.shared());
  }

  private boolean hasSeveralTenants() {
    return tenants.opened().size() > 1;
  }

  /** Registers the server, and starts to follow changes in tenants. */
  void start(CloseStack closing) {
    closing.push(process::close);
    process.start(registration, setup.metrics().registry());
    closing.push(changes::close);
    changes.start();
  }

  SchemaTenants tenants() {
    return tenants;
  }

  TenantMigrations migrations() {
    return migrations;
  }

  /** Creates the node of the server, and connects it with the tenants. */
  ServerNode newNode() {
    ServerNode node =
        new ServerNode(
            setup.settings(registration),
            process,
            changes,
            hints,
            slots,
            new TenantDirectory(tenants));
    links.node(node);
    return node;
  }

  /** Returns what nodes of packages in this process use. Each has a separate registration. */
  PackageHost packageHost() {
    return new TrustedPackages(
        setup, registration, tenants, links, slots, () -> process(processes("")));
  }

  /** Returns the nodes of all servers. */
  NodeDirectory nodes() {
    return new ServerNodes(processes, holds, installation.shared());
  }

  /** Returns the registrations of remote workers. */
  WorkerNodes workers() {
    return new WorkerNodes(installation.connections(), installation.schema(), holds, signals);
  }
}
