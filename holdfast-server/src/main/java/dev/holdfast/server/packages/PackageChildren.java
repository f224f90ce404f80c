package dev.holdfast.server.packages;

import dev.holdfast.server.tenant.OpenTenant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/** The processes that run packages: one for each tenant that has packages with work. */
final class PackageChildren implements AutoCloseable {
  private final ChildHost host;
  private final PackageCache cache;
  private final Map<Integer, TenantChild> children = new ConcurrentHashMap<>();
  private final Map<Long, String> loaded = new ConcurrentHashMap<>();
  private final ExecutorService closing = Executors.newVirtualThreadPerTaskExecutor();
  private @Nullable ChildFolders folders;

  PackageChildren(ChildHost host, PackageCache cache) {
    this.host = host;
    this.cache = cache;
  }

  boolean has(long number) {
    return loaded.containsKey(number);
  }

  /** Returns the versions that processes have, as {@code name@version}. */
  List<String> loaded() {
    return List.copyOf(loaded.values());
  }

  /** What processes are to run after a review. */
  final class Review {
    private final Map<Integer, Set<Long>> wanted = new HashMap<>();

    void want(OpenTenant tenant, StoredPackage version) {
      int id = tenant.tenant().id();
      wanted.computeIfAbsent(id, any -> new HashSet<>()).add(version.number());
      TenantChild child =
          children.computeIfAbsent(id, any -> new TenantChild(tenant, host, folders()));
      if (!child.versions().contains(version.number())) {
        child.load(version, cache.jar(version));
        cache.drop(version); // The process has a copy.
      }
      loaded.put(version.number(), version.id().toString());
    }

    /** Unloads what nothing needs any more, and ends processes without versions. */
    void end() {
      children.forEach((tenant, child) -> {
        Set<Long> needed = wanted.getOrDefault(tenant, Set.of());
        if (needed.isEmpty()) {
          children.remove(tenant);
          child.versions().forEach(loaded::remove);
          closing.execute(child::close);
        } else {
          for (long number : child.versions()) {
            if (!needed.contains(number)) {
              child.unload(number);
              loaded.remove(number);
            }
          }
        }
      });
    }
  }

  Review review() {
    return new Review();
  }

  private synchronized ChildFolders folders() {
    if (folders == null) {
      folders = new ChildFolders();
    }
    return folders;
  }

  /** Ends all processes at once. */
  void stopNow() {
    children.values().forEach(TenantChild::stopNow);
  }

  @Override
  public void close() {
    children.values().forEach(child -> closing.execute(child::close));
    children.clear();
    loaded.clear();
    closing.close();
    if (folders != null) {
      folders.close();
    }
  }
}
