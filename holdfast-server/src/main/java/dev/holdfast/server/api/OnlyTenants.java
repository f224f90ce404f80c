package dev.holdfast.server.api;

import dev.holdfast.server.audit.Actor;
import dev.holdfast.server.tenant.OpenTenant;
import dev.holdfast.server.tenant.Tenant;
import dev.holdfast.server.tenant.TenantSettings;
import dev.holdfast.server.tenant.TenantState;
import dev.holdfast.server.tenant.Tenants;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One tenant, which cannot be changed. */
record OnlyTenants(OpenTenant tenant) implements Tenants {

  @Override
  public Optional<OpenTenant> open(String name) {
    return name.equals(tenant.tenant().name()) ? Optional.of(tenant) : Optional.empty();
  }

  @Override
  public List<OpenTenant> opened() {
    return List.of(tenant);
  }

  @Override
  public Optional<Tenant> find(String name) {
    return open(name).map(OpenTenant::tenant);
  }

  @Override
  public List<Tenant> list(@Nullable String after, int limit) {
    return List.of(tenant.tenant());
  }

  @Override
  public Created create(String name, TenantSettings settings, Actor actor) {
    throw unchangeable();
  }

  @Override
  public Tenant configure(String name, TenantSettings settings, Actor actor) {
    throw unchangeable();
  }

  @Override
  public Tenant setState(String name, TenantState state, Actor actor) {
    throw unchangeable();
  }

  @Override
  public Tenant delete(String name, boolean force, Actor actor) {
    throw unchangeable();
  }

  @Override
  public Tenant restore(String name, Actor actor) {
    throw unchangeable();
  }

  private static UnsupportedOperationException unchangeable() {
    return new UnsupportedOperationException("A database without a server has no tenants");
  }

  @Override
  public void close() {}
}
