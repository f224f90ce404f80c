package dev.holdfast.server.boot;

import dev.holdfast.server.node.ServerNode;
import dev.holdfast.server.tenant.OpenTenant;
import dev.holdfast.server.tenant.SchemaTenants;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** The tenants that the node of a server can work in. */
record TenantDirectory(SchemaTenants tenants) implements ServerNode.Directory {

  @Override
  public Optional<OpenTenant> find(int id) {
    Optional<OpenTenant> known = tenants.find(id);
    if (known.isEmpty()) {
      tenants.refresh(); // Another server may have created it just now.
    }
    return known.or(() -> tenants.find(id));
  }

  @Override
  public List<Integer> ids(Collection<String> names) {
    return tenants.ids(names);
  }

  @Override
  public void registered(int id, String registered) {
    tenants.registered(id, registered);
  }
}
