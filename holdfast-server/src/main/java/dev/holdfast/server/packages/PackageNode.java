package dev.holdfast.server.packages;

import dev.holdfast.api.internal.StarterTask;
import dev.holdfast.api.run.TaskModule;
import dev.holdfast.engine.codec.JsonCodec;
import dev.holdfast.engine.held.FairSlots;
import dev.holdfast.engine.held.NodeIdentity;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.node.NodeBuilder;
import dev.holdfast.engine.role.Environment;
import dev.holdfast.engine.store.Store;
import dev.holdfast.packages.scan.ModulePath;
import dev.holdfast.server.node.ServerProcess;
import dev.holdfast.server.tenant.OpenTenant;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A version of a package that runs in the process of the server: a class loader, and a node that
 * serves the stack of the version. When it is closed, nothing refers to its classes any more.
 */
final class PackageNode implements AutoCloseable {
  private final StoredPackage version;
  private final @Nullable ModulePath path;
  private final ServerProcess registration;
  private final Store store;
  private final FairSlots.Share share;
  private final HoldfastNode node;

  private PackageNode(
      StoredPackage version,
      @Nullable ModulePath path,
      ServerProcess registration,
      Store store,
      FairSlots.Share share,
      HoldfastNode node) {
    this.version = version;
    this.path = path;
    this.registration = registration;
    this.store = store;
    this.share = share;
    this.node = node;
  }

  StoredPackage version() {
    return version;
  }

  /** Returns whether code of the package runs here, and not only the starts of its runs. */
  boolean hasCode() {
    return path != null;
  }

  /** What nodes of packages share. */
  record Shared(PackageHost host, PackageCatalog catalog, Environment environment) {}

  /**
   * Loads a version and starts its node. If it throws, nothing keeps running.
   *
   * @param jar the jar of the version; null to start the runs of its workflows and run no code of
   *     it
   */
  static PackageNode start(
      Shared shared, OpenTenant tenant, StoredPackage version, @Nullable Path jar) {
    ModulePath path = jar == null ? null : ModulePath.ofPackage(version.id().toString(), jar);
    ServerProcess registration = null;
    FairSlots.Share share = null;
    try {
      String id = NodeIdentity.hostAndPid().id() + (path == null ? "-w" : "-p") + version.number();
      registration = shared.host().register(id, version.id().toString(), tasks(version, path));
      Store store = shared.host().store(tenant, registration);
      share = shared.host().share(tenant);
      NodeBuilder builder =
          shared
              .host()
              .builder(tenant, store)
              .application("package-" + version.id().name())
              .id(id)
              .stack(version.id().toString())
              .stackOf(name -> stack(shared.catalog(), version, name))
              // Its own: a codec remembers the types that it has seen.
              .codec(new JsonCodec())
              .coordinator(tenant.signals())
              .environment(shared.environment())
              .partOf(registration.core(), share);
      if (path == null) {
        version.workflows().forEach(builder::storedWorkflow);
      } else {
        install(builder, path);
      }
      return new PackageNode(version, path, registration, store, share, builder.start());
    } catch (RuntimeException | Error failure) {
      if (share != null) {
        share.close();
      }
      if (registration != null) {
        registration.close();
      }
      if (path != null) {
        close(path);
      }
      throw failure;
    }
  }

  private static Set<String> tasks(StoredPackage version, @Nullable ModulePath path) {
    return path != null
        ? Set.copyOf(version.tasks())
        : version.workflows().keySet().stream().map(StarterTask::of).collect(Collectors.toSet());
  }

  /** What a package creates for itself stays in its version. */
  private static @Nullable String stack(
      PackageCatalog catalog, StoredPackage version, String name) {
    String newest = catalog.stack(version.tenant(), name);
    boolean own =
        newest != null && newest.substring(0, newest.indexOf('@')).equals(version.id().name());
    return own ? null : newest;
  }

  private static void install(NodeBuilder builder, ModulePath path) {
    ClassLoader loader = path.loader();
    builder.interceptAttempts(attempt -> {
      Thread thread = Thread.currentThread();
      ClassLoader before = thread.getContextClassLoader();
      thread.setContextClassLoader(loader);
      try {
        return attempt.proceed();
      } finally {
        thread.setContextClassLoader(before);
      }
    });
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(loader);
    try {
      ServiceLoader.load(TaskModule.class, loader).forEach(builder::install);
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  /** Interrupts running jobs, so that a close that waits for them ends at once. */
  void stopNow() {
    node.stopNow();
  }

  /** Stops the node when its running jobs have ended or had their time, and unloads the classes. */
  @Override
  public void close() {
    try {
      node.close();
    } finally {
      share.close();
      registration.close();
      store.close();
      if (path != null) {
        close(path);
      }
    }
  }

  private static void close(ModulePath path) {
    try {
      path.close();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
