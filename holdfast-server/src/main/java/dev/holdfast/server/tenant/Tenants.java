package dev.holdfast.server.tenant;

import dev.holdfast.server.audit.Actor;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The tenants of an installation. How they share a database is known only behind it. */
public interface Tenants extends AutoCloseable {

  /**
   * Finds a tenant to act in.
   *
   * @return the tenant; empty if it does not exist, is being deleted, or cannot be opened
   */
  Optional<OpenTenant> open(String name);

  /** Returns the tenants that this server has opened. */
  List<OpenTenant> opened();

  /** Finds a tenant in any state in which it has a name. */
  Optional<Tenant> find(String name);

  /** Lists the tenants that have a name, ordered by name. */
  List<Tenant> list(@Nullable String after, int limit);

  /**
   * Creates a tenant with its schema and a first key, which can do everything in the tenant: all of
   * it or nothing. A creation that was interrupted is completed by the next one with the same name.
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

  @Override
  void close();
}
