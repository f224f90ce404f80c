package dev.holdfast.server.packages;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.internal.Times;
import dev.holdfast.engine.role.Driver;
import dev.holdfast.engine.role.Environment;
import dev.holdfast.server.tenant.OpenTenant;
import dev.holdfast.server.tenant.TenantState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the packages of tenants, in the process of the server if it trusts them and in a process for
 * each tenant otherwise: the newest version of each, and older ones as long as live jobs or open
 * runs need them. A version that is not needed any more is unloaded; it is loaded again if work of
 * it appears.
 */
public final class PackageNodes implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(PackageNodes.class);
  private static final Duration LOOK = Duration.ofSeconds(2);
  private static final Duration LOOK_FOR_USE = Duration.ofSeconds(10);
  private static final Duration AFTER_FAILURE = Duration.ofSeconds(30);
  private static final int ROLE_THREADS = 8;

  /** What of a version can fail to start while the other part works. */
  private enum Part {
    /** Its code in the process of its tenant. */
    CODE,
    /** Its node in this process. */
    NODE
  }

  private record Attempt(Part part, long number) {}

  private final PackageHost host;
  private final PackageCatalog catalog;
  private final PackageStore store;
  private final PackageCache cache;
  private final PackageNode.Shared shared;
  private final PackageChildren children;
  private final Map<Long, PackageNode> running = new ConcurrentHashMap<>();
  private final Map<Attempt, Long> pausedUntil = new HashMap<>();
  private final Map<Long, Long> looked = new HashMap<>();
  private final ExecutorService closing = Executors.newVirtualThreadPerTaskExecutor();
  private final Set<Long> stopping = ConcurrentHashMap.newKeySet();
  private final Semaphore wakeups = new Semaphore(0);
  private final Thread loop;
  private volatile boolean closed;

  public PackageNodes(
      PackageHost host, ChildHost childHost, PackageCatalog catalog, PackageStore store) {
    this.host = host;
    this.catalog = catalog;
    this.store = store;
    this.cache = new PackageCache(store);
    this.children = new PackageChildren(childHost, cache);
    Environment machine = Environment.machine();
    this.shared =
        new PackageNode.Shared(
            host,
            catalog,
            new Environment(
                Driver.pool(machine.ticker(), ROLE_THREADS),
                machine.ticker(),
                machine.ids(),
                machine.random()));
    this.loop = Thread.ofPlatform().daemon().name("holdfast-packages").unstarted(this::run);
  }

  /** Starts to look for packages. */
  public PackageNodes start() {
    loop.start();
    return this;
  }

  /** Looks now: a package was stored or deleted. */
  public void changed() {
    wakeups.release();
  }

  /** Returns the versions that are loaded, as {@code name@version}. */
  public List<String> loaded() {
    return Stream.concat(
            running.values().stream()
                .filter(PackageNode::hasCode)
                .map(node -> node.version().id().toString()),
            children.loaded().stream())
        .sorted()
        .toList();
  }

  private void run() {
    while (!closed) {
      try {
        catalog.refresh();
        review();
      } catch (StoreException failure) {
        log.warn(
            "Packages could not be read, retrying in {}: {}",
            Times.describe(LOOK),
            failure.getMessage());
      } catch (RuntimeException failure) {
        log.error("Packages could not be reviewed, retrying soon", failure);
      }
      try {
        if (wakeups.tryAcquire(LOOK.toMillis(), TimeUnit.MILLISECONDS)) {
          wakeups.drainPermits();
        }
      } catch (InterruptedException stop) {
        return;
      }
    }
  }

  private void review() {
    Set<Long> wanted = new HashSet<>();
    boolean trusted = host.trusts();
    PackageChildren.Review inChildren = children.review();
    for (OpenTenant tenant : host.tenants()) {
      List<StoredPackage> versions = catalog.versions(tenant.tenant().id());
      if (versions.isEmpty() || tenant.tenant().state() != TenantState.ACTIVE) {
        continue;
      }
      for (StoredPackage version : needed(tenant, versions)) {
        if (!trusted) {
          inChildren.want(tenant, version); // Also while another attempt to load it is not due.
          attempt(Part.CODE, tenant, version, () -> inChildren.load(tenant, version));
        }
        PackageNode known = running.get(version.number());
        boolean needsNode = trusted || !version.workflows().isEmpty();
        if (needsNode && (known == null || known.hasCode() == trusted)) {
          wanted.add(version.number());
          startIfMissing(tenant, version, trusted);
        }
      }
    }
    inChildren.end();
    running.forEach((number, node) -> {
      if (!wanted.contains(number)) {
        stop(number, node);
      }
    });
  }

  /**
   * An old version is loaded when a job of it is ready, and stays as long as a job or run of it has
   * not ended: a run that waits may continue at any time.
   */
  private List<StoredPackage> needed(OpenTenant tenant, List<StoredPackage> versions) {
    List<StoredPackage> needed = new ArrayList<>();
    List<StoredPackage> unloaded = new ArrayList<>();
    for (StoredPackage version : versions) {
      if (version.newest() || (isLoaded(version) && isUsed(tenant, version))) {
        needed.add(version);
      } else if (!isLoaded(version)) {
        unloaded.add(version);
      }
    }
    if (!unloaded.isEmpty()) {
      Set<String> ready =
          store
              .database()
              .run(
                  "look for work of old packages",
                  statements ->
                      LiveStacks.ready(statements, tenant.tenant(), host.queues(), unloaded));
      unloaded.stream()
          .filter(version -> ready.contains(version.id().toString()))
          .forEach(needed::add);
    }
    return needed;
  }

  private boolean isLoaded(StoredPackage version) {
    return running.containsKey(version.number()) || children.has(version.number());
  }

  /** Looked up from time to time: it may read all live jobs of the tenant. */
  private boolean isUsed(OpenTenant tenant, StoredPackage version) {
    long now = System.nanoTime();
    Long last = looked.get(version.number());
    if (last != null && now - last < LOOK_FOR_USE.toNanos()) {
      return true;
    }
    looked.put(version.number(), now);
    boolean used =
        store
            .database()
            .run(
                "look for work of package " + version.id(),
                statements ->
                    LiveStacks.isUsed(statements, tenant.tenant(), version.id().toString()));
    if (!used) {
      looked.remove(version.number()); // It is unloaded now, and is normally not loaded again.
    }
    return used;
  }

  private void startIfMissing(OpenTenant tenant, StoredPackage version, boolean withCode) {
    long number = version.number();
    if (running.containsKey(number) || stopping.contains(number)) {
      return;
    }
    attempt(
        Part.NODE,
        tenant,
        version,
        () -> {
          running.put(
              number,
              PackageNode.start(shared, tenant, version, withCode ? cache.jar(version) : null));
          log.info("Package {} of tenant {} is loaded", version.id(), tenant.tenant().name());
        });
  }

  /** Loads something, unless that has failed a short time ago. */
  private void attempt(Part part, OpenTenant tenant, StoredPackage version, Runnable load) {
    Attempt key = new Attempt(part, version.number());
    Long paused = pausedUntil.get(key);
    if (paused != null && System.nanoTime() - paused < 0) {
      return;
    }
    try {
      load.run();
      pausedUntil.remove(key);
    } catch (RuntimeException | LinkageError failure) {
      pausedUntil.put(key, System.nanoTime() + AFTER_FAILURE.toNanos());
      log.warn(
          "Package {} of tenant {} could not be loaded, retrying in {}: {}",
          version.id(),
          tenant.tenant().name(),
          Times.describe(AFTER_FAILURE),
          failure.toString());
    }
  }

  /** Elsewhere: running jobs may take their time, and other packages must not wait for them. */
  private void stop(long number, PackageNode node) {
    stopping.add(number);
    running.remove(number, node);
    looked.remove(number);
    closing.execute(() -> {
      try {
        node.close();
        cache.drop(node.version());
        log.info("Package {} is unloaded: nothing needs it", node.version().id());
      } catch (RuntimeException failure) {
        log.warn("Package {} could not be unloaded: {}", node.version().id(), failure.toString());
      } finally {
        stopping.remove(number);
      }
    });
  }

  /** Interrupts running jobs, so that a close that waits for them ends at once. */
  public void stopNow() {
    running.values().forEach(PackageNode::stopNow);
    children.stopNow();
  }

  @Override
  public void close() {
    closed = true;
    loop.interrupt();
    try {
      loop.join();
    } catch (InterruptedException impatient) {
      Thread.currentThread().interrupt();
    }
    running.forEach(this::stop);
    children.close();
    closing.close();
    cache.close();
  }
}
