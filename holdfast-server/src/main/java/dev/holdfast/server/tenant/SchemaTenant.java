package dev.holdfast.server.tenant;

import dev.holdfast.api.lease.Leases;
import dev.holdfast.engine.client.HoldfastClient;
import dev.holdfast.engine.lease.HoldfastLeases;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.store.Store;
import dev.holdfast.postgres.PostgresStore;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A tenant with its own schema, pool and, on servers that run jobs, node. */
final class SchemaTenant implements OpenTenant {
  private final PostgresStore store;
  private final HoldfastClient client;
  private final HoldfastLeases leases;
  private final Function<SchemaTenant, @Nullable HoldfastNode> nodes;
  private volatile Tenant tenant;

  /**
   * Changed under the lock of this object; read without it, because a close holds the lock long.
   */
  private volatile @Nullable HoldfastNode node;

  private @Nullable Thread draining;

  /**
   * @param nodes starts the node of the tenant; returns null if this server has none
   */
  SchemaTenant(
      Tenant tenant, PostgresStore store, Function<SchemaTenant, @Nullable HoldfastNode> nodes) {
    this.tenant = tenant;
    this.store = store;
    this.client = HoldfastClient.on(store);
    this.leases = HoldfastLeases.on(store);
    this.nodes = nodes;
  }

  @Override
  public Tenant tenant() {
    return tenant;
  }

  @Override
  public Store store() {
    return store;
  }

  @Override
  public HoldfastClient client() {
    return client;
  }

  @Override
  public Leases leases() {
    return leases;
  }

  @Override
  public Optional<Boolean> nodeIsReady() {
    return Optional.ofNullable(node).map(HoldfastNode::isReady);
  }

  /** Takes over what was read, and starts or stops the node as the state demands. */
  synchronized void update(Tenant latest) {
    tenant = latest;
    boolean wanted = latest.state() == TenantState.ACTIVE;
    HoldfastNode running = node;
    if (wanted && running == null) {
      node = nodes.apply(this);
    } else if (!wanted && running != null) {
      // Not in this thread: the node waits for its jobs to finish.
      draining = Thread.ofVirtual().name("holdfast-drain-" + latest.name()).start(running::close);
      node = null;
    }
  }

  /** Lets running jobs finish, and closes everything. */
  synchronized void close() {
    HoldfastNode running = node;
    if (running != null) {
      running.close();
      node = null;
    }
    if (draining != null) {
      try {
        draining.join();
      } catch (InterruptedException impatient) {
        Thread.currentThread().interrupt();
      }
    }
    leases.close();
    client.close();
    store.close();
  }

  /** Ends running jobs at once, also while a close waits for them. */
  void stopNow() {
    HoldfastNode running = node;
    if (running != null) {
      running.stopNow();
    }
  }
}
