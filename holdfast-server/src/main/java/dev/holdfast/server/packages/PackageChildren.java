package dev.holdfast.server.packages;

import dev.holdfast.packages.load.Sandbox;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The processes that run packages: one for each tenant that has packages with work. */
final class PackageChildren implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(PackageChildren.class);

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

    /** Keeps a version where it is loaded. */
    void want(OpenTenant tenant, StoredPackage version) {
      wanted.computeIfAbsent(tenant.tenant().id(), any -> new HashSet<>()).add(version.number());
    }

    /** Loads a version that is wanted, unless it is loaded. */
    void load(OpenTenant tenant, StoredPackage version) {
      int id = tenant.tenant().id();
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

  /**
   * Not refused: servers in containers have one user as a rule, and their tenants may be friends.
   */
  static void warn(Sandbox sandbox) {
    if (!sandbox.otherUser()) {
      log.warn(
          "Packages of several tenants run with the account of this server, so their code can read"
              + " what the server can read: its environment, with the password of the database, its"
              + " key files, and files of packages of other tenants. If you do not trust all"
              + " tenants, allow only keys that you trust to upload (can_upload), or run the server"
              + " as root on Linux with setpriv, which gives each tenant another user.");
    }
  }

  private synchronized ChildFolders folders() {
    if (folders == null) {
      folders = new ChildFolders();
      warn(Sandbox.ofSystem());
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
