package dev.holdfast.server.boot;

import dev.holdfast.server.node.ServerNode;
import dev.holdfast.server.packages.PackageNodes;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The nodes that run in the process of a server, depending on its modes: its own node, and those of
 * packages. They drain at the same time.
 */
final class RunningNodes {
  private volatile @Nullable ServerNode node;
  private volatile @Nullable PackageNodes packages;
  private volatile boolean stoppedNow;
  private @Nullable Thread packagesClosing;

  /** Starts the node of the server. */
  void start(ServerNode own, CloseStack closing) {
    node = own;
    closing.push(() -> {
      if (stoppedNow) {
        own.stopNow();
      }
      own.close();
    });
    own.start();
  }

  /** Starts the nodes of packages. */
  void start(PackageNodes nodes, CloseStack closing) {
    packages = nodes;
    closing.push(() -> {
      if (stoppedNow) {
        nodes.stopNow();
      }
      // In another thread, because the node of the server drains at the same time.
      packagesClosing = Thread.ofPlatform().name("holdfast-packages-closing").start(nodes::close);
    });
    nodes.start();
  }

  /** Waits until the nodes of packages are closed. */
  void awaitPackages() {
    Thread unfinished = packagesClosing;
    try {
      if (unfinished != null) {
        unfinished.join();
      }
    } catch (InterruptedException impatient) {
      Thread.currentThread().interrupt();
    }
  }

  /** Loads and unloads packages after an upload, a change of settings or a deletion. */
  void packagesChanged() {
    PackageNodes nodes = packages;
    if (nodes != null) {
      nodes.changed();
    }
  }

  /** Returns whether the node of the server can work, or there is none. */
  boolean isReady() {
    ServerNode own = node;
    return own == null || own.isReady();
  }

  /** Returns whether the node of the server works in a tenant at present. */
  boolean isActive(int tenant) {
    ServerNode own = node;
    return own != null && own.isActive(tenant);
  }

  /** Returns in how many tenants the node of the server works at present. */
  int activeTenants() {
    ServerNode own = node;
    return own == null ? 0 : own.activeTenants();
  }

  /** Returns the loaded versions of packages, as {@code name@version}. */
  List<String> loadedPackages() {
    PackageNodes nodes = packages;
    return nodes == null ? List.of() : nodes.loaded();
  }

  /** Interrupts running jobs, now or when the nodes are closed. */
  void stopNow() {
    stoppedNow = true;
    ServerNode own = node;
    if (own != null) {
      own.stopNow();
    }
    PackageNodes nodes = packages;
    if (nodes != null) {
      nodes.stopNow();
    }
  }
}
