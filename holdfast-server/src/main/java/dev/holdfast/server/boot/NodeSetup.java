package dev.holdfast.server.boot;

import dev.holdfast.api.NodeMode;
import dev.holdfast.api.run.TaskModule;
import dev.holdfast.engine.held.NodeIdentity;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.node.LivenessSettings;
import dev.holdfast.engine.node.NodeBuilder;
import dev.holdfast.engine.node.NodeCore;
import dev.holdfast.engine.store.Modes;
import dev.holdfast.engine.store.Store;
import dev.holdfast.engine.store.Upkeep.Retention;
import dev.holdfast.postgres.PostgresStore;
import dev.holdfast.postgres.SharedConnections;
import dev.holdfast.server.config.ServerConfig;
import dev.holdfast.server.config.ServerMode;
import dev.holdfast.server.metrics.ServerMetrics;
import dev.holdfast.server.node.Hints;
import dev.holdfast.server.node.ServerNode;
import dev.holdfast.server.packages.PackageCatalog;
import dev.holdfast.server.secret.TenantSecrets;
import dev.holdfast.server.tenant.OpenTenant;
import dev.holdfast.server.trace.ServerTraces;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What a server registers, and how the nodes are configured that it starts in tenants.
 *
 * @param traces null to send none
 */
record NodeSetup(
    ServerConfig config,
    List<TaskModule> modules,
    ServerMetrics metrics,
    TenantSecrets secrets,
    PackageCatalog catalog,
    @Nullable ServerTraces traces) {
  private static final String APPLICATION = "holdfast-server";

  /** Returns whether the server has a node, and does not only serve the API. */
  boolean hasNode() {
    return config.is(ServerMode.WORKER) || config.is(ServerMode.SCHEDULER);
  }

  /** Returns a node that is never started, to learn what the modules have. */
  NodeBuilder sample(SharedConnections connections) {
    NodeBuilder sample =
        HoldfastNode.on(
                PostgresStore.sharing(
                    connections, 0, config.database().schema(), (none, id) -> null, () -> null))
            .application(APPLICATION);
    modules.forEach(sample::install);
    return sample;
  }

  /** Returns how the server registers. */
  NodeCore.Settings registration(NodeBuilder sample) {
    Set<String> roles = new TreeSet<>();
    if (works()) {
      roles.add("worker");
    }
    if (hasNode()) {
      roles.add("scheduler");
    }
    if (config.is(ServerMode.API)) {
      roles.add("api");
    }
    String id = NodeIdentity.hostAndPid().id();
    return new NodeCore.Settings(
        // Several servers may run in one process, for example in a test.
        hasNode() ? id : id + "-api",
        null,
        hasNode() ? config.queues().keySet() : Set.of(),
        hasNode() ? sample.taskNames() : Set.of(),
        roles,
        hasNode() ? config.work().concurrency() : 0,
        new Modes(works() ? NodeMode.FULL : NodeMode.TRIGGER_ONLY, Map.of()),
        liveness());
  }

  /** Returns what the node of the server does. */
  ServerNode.Settings settings(NodeCore.Settings registration) {
    return new ServerNode.Settings(
        works() ? Set.of(Hints.Kind.R, Hints.Kind.T) : Set.of(Hints.Kind.T),
        config.work().tenants(),
        config.work().tenantIdle(),
        registration,
        this::nodeOf);
  }

  private boolean works() {
    return config.is(ServerMode.WORKER);
  }

  private LivenessSettings liveness() {
    Duration timeout = config.work().nodeTimeout();
    return LivenessSettings.DEFAULT.with(changes ->
        changes.heartbeat(timeout.dividedBy(6)).timeout(timeout).sweep(timeout.dividedBy(2)));
  }

  private NodeBuilder nodeOf(OpenTenant tenant) {
    NodeBuilder builder =
        configured(tenant, tenant.store())
            .application(APPLICATION)
            .stackOf(name -> catalog.stack(tenant.tenant().id(), name));
    modules.forEach(builder::install);
    return builder;
  }

  /** Returns a node of a tenant that has no tasks yet. */
  NodeBuilder configured(OpenTenant tenant, Store store) {
    NodeBuilder builder =
        HoldfastNode.on(store)
            .meters(metrics.registry())
            .interceptAttempts(metrics.attempts(tenant.tenant().name()))
            .secrets(secrets.of(tenant.tenant()))
            .shutdownGrace(config.drain())
            .liveness(liveness())
            .maxConcurrent(config.work().concurrency())
            .keep(() ->
                new Retention(
                    tenant.tenant().settings().keepHistory(),
                    tenant.tenant().settings().keepDeadLetters()));
    if (traces != null) {
      builder.telemetry(traces).interceptAttempts(ServerTraces.attempts(tenant.tenant().name()));
    }
    config.queues().forEach(builder::queue);
    return builder;
  }
}
