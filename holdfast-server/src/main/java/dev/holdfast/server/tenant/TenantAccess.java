package dev.holdfast.server.tenant;

import dev.holdfast.api.workflow.Workflow;
import dev.holdfast.engine.intake.ClientSettings;
import dev.holdfast.engine.intake.JobOrigin;
import dev.holdfast.engine.notify.ClusterCoordinator;
import dev.holdfast.engine.store.Store;
import java.util.List;
import java.util.function.Supplier;

/** How this server reaches the tables and the nodes of tenants. */
public interface TenantAccess {

  /**
   * Returns a store in the schema of a tenant, on connections that all tenants share.
   *
   * @param latest the tenant with its settings at present
   */
  Store store(Supplier<Tenant> latest);

  /** Returns what carries the signals of a tenant. */
  ClusterCoordinator coordinator(Tenant tenant);

  /** Returns the settings of the clients of tenants. */
  ClientSettings clients();

  /** Returns which stacks the jobs and runs belong to that clients of a tenant create. */
  JobOrigin origin(Tenant tenant);

  /** Returns the workflows of this server, which every tenant may run. */
  List<Workflow<?, ?>> workflows();

  /** Makes a change in a tenant, and makes sure that a node finds the work that it creates. */
  <T> T change(Tenant tenant, Supplier<T> change);

  /** Makes sure that a node looks at a tenant in which there may be work. */
  void wake(Tenant tenant);

  /** Notes that the state or the settings of a tenant may have changed. */
  void changed(Tenant tenant);
}
