package dev.holdfast.server.tenant;

import dev.holdfast.server.audit.Actor;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The tenants of an installation. Callers do not know how tenants share a database. */
public interface Tenants extends AutoCloseable {

  /**
   * Finds a tenant to act in.
   *
   * @return the tenant; empty if it does not exist, is being deleted, or cannot be opened
   */
  Optional<OpenTenant> open(String name);

  /** Returns the tenants that this server has opened. */
  List<OpenTenant> opened();

  /** Finds a tenant in any state, unless its schema has been dropped. */
  Optional<Tenant> find(String name);

  /** Lists the tenants, except those whose schema has been dropped, ordered by name. */
  List<Tenant> list(@Nullable String after, int limit);

  /**
   * Creates a tenant with its schema and a first key that has all permissions in the tenant, in one
   * transaction.
   *
   * @return the tenant and its first key
   * @throws TenantException if there is a tenant with this name
   */
  Created create(String name, TenantSettings settings, Actor actor);

  /** A new tenant and the text of its first key. */
  record Created(Tenant tenant, String key) {}

  /**
   * Changes the settings of a tenant.
   *
   * @throws TenantException if there is none
   */
  Tenant configure(String name, TenantSettings settings, Actor actor);

  /**
   * Suspends or resumes a tenant.
   *
   * @param state {@link TenantState#ACTIVE} or {@link TenantState#SUSPENDED}
   * @throws TenantException if there is none, or it is being deleted
   */
  Tenant setState(String name, TenantState state, Actor actor);

  /**
   * Deletes a tenant: its keys are refused at once, and its schema is dropped after a grace period.
   *
   * @param force whether to delete it while runs are open or jobs are live
   * @throws TenantException if there is none, or it has live work and {@code force} is false
   */
  Tenant delete(String name, boolean force, Actor actor);

  /**
   * Restores a tenant that is being deleted, as long as its schema exists. It is suspended.
   *
   * @throws TenantException if there is none, or it is not being deleted
   */
  Tenant restore(String name, Actor actor);

  @Override
  void close();
}
