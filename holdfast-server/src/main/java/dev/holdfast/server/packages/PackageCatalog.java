package dev.holdfast.server.packages;

import dev.holdfast.api.internal.StarterTask;
import dev.holdfast.engine.intake.JobOrigin;
import dev.holdfast.engine.store.NewJob.Stamp;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The packages of all tenants in the memory of this server: which version new jobs and runs belong
 * to. Another server sees a change when it has read it, a moment later.
 */
public final class PackageCatalog {
  private final PackageStore store;
  private volatile Map<Integer, OfTenant> tenants = Map.of();
  private long seen = -1;

  /**
   * @param versions all versions, in the order in which they were stored
   * @param stacks the newest versions by the names of their tasks and workflows
   * @param graphs the hashes of the graphs of the newest versions by the names of their workflows
   */
  private record OfTenant(
      List<StoredPackage> versions, Map<String, String> stacks, Map<String, String> graphs) {
    static final OfTenant NONE = new OfTenant(List.of(), Map.of(), Map.of());

    static OfTenant of(List<StoredPackage> versions) {
      Map<String, String> stacks = new HashMap<>();
      Map<String, String> graphs = new HashMap<>();
      for (StoredPackage version : versions) {
        if (version.newest()) {
          String stack = version.id().toString();
          version.tasks().forEach(task -> stacks.put(task, stack));
          version
              .workflows()
              .forEach((workflow, hash) -> {
                stacks.put(workflow, stack);
                stacks.put(StarterTask.of(workflow), stack);
                graphs.put(workflow, hash);
              });
        }
      }
      return new OfTenant(versions, stacks, graphs);
    }
  }

  public PackageCatalog(PackageStore store) {
    this.store = store;
  }

  /**
   * Reads the packages, if any has changed.
   *
   * @return whether any has
   */
  public synchronized boolean refresh() {
    // The version first: what changes in between is read again next time.
    long version = store.version();
    if (version == seen) {
      return false;
    }
    Map<Integer, List<StoredPackage>> read = new HashMap<>();
    store
        .all()
        .forEach(each -> read.computeIfAbsent(each.tenant(), any -> new ArrayList<>()).add(each));
    Map<Integer, OfTenant> fresh = new HashMap<>();
    read.forEach((tenant, versions) -> fresh.put(tenant, OfTenant.of(versions)));
    tenants = fresh;
    seen = version;
    return true;
  }

  private OfTenant of(int tenant) {
    return tenants.getOrDefault(tenant, OfTenant.NONE);
  }

  /** Returns all versions of the packages of a tenant. */
  List<StoredPackage> versions(int tenant) {
    return of(tenant).versions();
  }

  /** Returns the version that new jobs of a task, or new runs of a workflow, belong to. */
  public @Nullable String stack(int tenant, String name) {
    return of(tenant).stacks().get(name);
  }

  /** Returns the origin of jobs and runs that clients of a tenant create. */
  public JobOrigin origin(int tenant) {
    return new JobOrigin() {
      @Override
      public Stamp of(String name) {
        String stack = stack(tenant, name);
        return stack == null ? Stamp.NONE : new Stamp(stack, null);
      }

      @Override
      public @Nullable String graph(String workflow) {
        return PackageCatalog.this.of(tenant).graphs().get(workflow);
      }
    };
  }
}
