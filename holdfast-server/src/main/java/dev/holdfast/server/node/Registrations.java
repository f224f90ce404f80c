package dev.holdfast.server.node;

import dev.holdfast.server.tenant.Tenant;
import dev.holdfast.server.tenant.TenantState;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The tenants that this server has to enter to register its workflows and schedules: those in which
 * no program has registered yet, or another program registered last. With a thousand tenants,
 * entering all of them at each start would be expensive.
 *
 * <p>A server registers at most once in each tenant, so two servers with different modules do not
 * take turns. If a server with other modules appears, a server that had nothing to register
 * registers now, because schedules that no live server declares in a tenant are cancelled there.
 */
final class Registrations {
  private final String modules;
  private final Set<String> only;
  private final Set<Integer> due = ConcurrentHashMap.newKeySet();
  private final Set<Integer> done = ConcurrentHashMap.newKeySet();
  private volatile boolean everywhere;

  /**
   * @param modules what this server registers, as a hash
   * @param only the names of the tenants that it works for; empty for all
   */
  Registrations(String modules, Set<String> only) {
    this.modules = modules;
    this.only = only;
  }

  /** Registers in all tenants, because another live server has other modules. */
  void everywhere() {
    everywhere = true;
  }

  /**
   * Considers a tenant as it was read.
   *
   * @return whether this server has to enter it
   */
  boolean consider(Tenant tenant) {
    boolean wanted =
        tenant.state() == TenantState.ACTIVE
            && (only.isEmpty() || only.contains(tenant.name()))
            && !done.contains(tenant.id())
            && (everywhere || !modules.equals(tenant.modules()));
    if (wanted) {
      due.add(tenant.id());
    } else {
      due.remove(tenant.id());
    }
    return wanted;
  }

  /** Returns the tenants to enter. */
  List<Integer> due() {
    return List.copyOf(due);
  }

  /** Notes that this server has registered in a tenant. */
  void done(int tenant) {
    done.add(tenant);
    due.remove(tenant);
  }
}
