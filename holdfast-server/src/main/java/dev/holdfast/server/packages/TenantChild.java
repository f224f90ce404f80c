package dev.holdfast.server.packages;

import dev.holdfast.api.internal.Times;
import dev.holdfast.packages.child.ChildJvm;
import dev.holdfast.packages.child.Orders;
import dev.holdfast.server.tenant.OpenTenant;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The process of one tenant: started, watched and started again after a pause that grows. Its
 * thread starts the process and waits for it, because Linux ends the process with that thread.
 */
final class TenantChild implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(TenantChild.class);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);
  private static final Duration LIVED = Duration.ofSeconds(30);
  private static final Duration TO_END = Duration.ofSeconds(6);

  private final OpenTenant tenant;
  private final ChildHost host;
  private final ChildFolders folders;
  private final Path folder;
  private final Map<Long, Orders.Load> wanted = new TreeMap<>();
  private final Semaphore stopped = new Semaphore(0);
  private final ChildLog output;
  private final Thread thread;
  private @Nullable ChildJvm running;
  private Duration grace = Duration.ZERO;
  private volatile boolean closed;

  TenantChild(OpenTenant tenant, ChildHost host, ChildFolders folders) {
    this.tenant = tenant;
    this.host = host;
    this.folders = folders;
    this.folder = folders.create(tenant.tenant().id());
    this.output = new ChildLog(tenant.tenant().name());
    this.thread =
        Thread.ofPlatform()
            .daemon()
            .name("holdfast-packages-" + tenant.tenant().name())
            .start(this::run);
  }

  /** Returns the numbers of the versions that it has or is to have. */
  synchronized Set<Long> versions() {
    return Set.copyOf(wanted.keySet());
  }

  /** Loads a version, now and in each process that follows. */
  synchronized void load(StoredPackage version, Path jar) {
    if (!wanted.containsKey(version.number())) {
      Orders.Load order =
          new Orders.Load(
              version.id().toString(),
              version.number(),
              folders.give(jar, folder, tenant.tenant().id()));
      wanted.put(version.number(), order);
      boolean unused = tell(order);
    }
  }

  /** Unloads a version when its running jobs have ended. */
  synchronized void unload(long number) {
    Orders.Load order = wanted.remove(number);
    if (order != null && !tell(new Orders.Unload(order.stack()))) {
      folders.delete(order.jar()); // No process does it.
    }
  }

  /** Returns false if there is no process. A process that has ended is told when it starts. */
  private boolean tell(Orders order) {
    return running != null && running.tell(order);
  }

  private void run() {
    Duration pause = FIRST_PAUSE;
    while (!closed) {
      long started = System.nanoTime();
      int exit = runOnce();
      if (closed) {
        return;
      }
      boolean lived = System.nanoTime() - started > LIVED.toNanos();
      pause = lived ? FIRST_PAUSE : pause;
      log.warn(
          "The process of the packages of tenant {} ended with exit code {}; it is started again"
              + " in {}, and its jobs count as crashed",
          tenant.tenant().name(),
          exit,
          Times.describe(pause));
      try {
        if (stopped.tryAcquire(pause.toNanos(), TimeUnit.NANOSECONDS)) {
          return;
        }
      } catch (InterruptedException stop) {
        return;
      }
      pause = min(pause.multipliedBy(2), LONGEST_PAUSE);
    }
  }

  private static Duration min(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }

  private int runOnce() {
    try (ChildHost.Access access = host.open(tenant)) {
      ChildJvm child =
          ChildJvm.start(
              new ChildJvm.Settings(
                  tenant.tenant().id(), host.heapMegabytes(), host.limits(), folder),
              folders.classPath(),
              output::line);
      try {
        started(child, access.start());
        return child.await();
      } finally {
        ended(child);
      }
    } catch (IOException | RuntimeException failure) {
      log.error(
          "The process of the packages of tenant {} could not be started",
          tenant.tenant().name(),
          failure);
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
    return -1;
  }

  private synchronized void started(ChildJvm child, Orders.Start first) {
    running = child;
    grace = first.grace();
    boolean unused = child.tell(first);
    for (Orders.Load order : wanted.values()) {
      unused = tell(order);
    }
    if (closed) {
      unused = tell(new Orders.Stop());
    }
  }

  private synchronized void ended(ChildJvm child) {
    running = null;
    child.kill(); // What it has started may still run.
  }

  /** Ends the process at once. */
  synchronized void stopNow() {
    if (running != null) {
      running.kill();
    }
  }

  /** Lets running jobs end or have their time, and ends the process. */
  @Override
  public void close() {
    ChildJvm child;
    Duration patience;
    synchronized (this) {
      closed = true;
      stopped.release();
      boolean unused = tell(new Orders.Stop());
      child = running;
      patience = grace.plus(TO_END);
    }
    try {
      if (child != null && !child.await(patience)) {
        child.kill();
      }
      if (!thread.join(TO_END)) {
        stopNow(); // It was just being started.
        thread.join();
      }
    } catch (InterruptedException impatient) {
      Thread.currentThread().interrupt();
      if (child != null) {
        child.kill();
      }
    }
    folders.delete(folder);
  }
}
