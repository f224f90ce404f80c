package dev.holdfast.packages.child;

import dev.holdfast.api.run.TaskModule;
import dev.holdfast.engine.codec.JsonCodec;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.packages.scan.ModulePath;
import dev.holdfast.worker.RemoteWorker;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The versions that a child process has loaded: a class loader and a remote worker for each. */
final class ChildVersions implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ChildVersions.class);
  private static final Duration AGAIN = Duration.ofSeconds(30);
  private static final Duration LOOK = Duration.ofSeconds(1);

  private final Orders.Start settings;
  private final Map<String, Version> versions = new ConcurrentHashMap<>();
  private final ScheduledExecutorService watching =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("holdfast-hung").factory());

  ChildVersions(Orders.Start settings) {
    this.settings = settings;
    Future<?> unused =
        watching.scheduleWithFixedDelay(
            this::look, LOOK.toMillis(), LOOK.toMillis(), TimeUnit.MILLISECONDS);
  }

  /**
   * A thread for each: a static initialiser of one version may never end, and the others must not
   * wait for it.
   */
  void load(Orders.Load order) {
    Version version = new Version(order);
    if (versions.putIfAbsent(order.stack(), version) == null) {
      version.thread.start();
    }
  }

  void unload(String stack) {
    Version version = versions.remove(stack);
    if (version != null) {
      Thread.ofPlatform().daemon().name("holdfast-unload").start(() -> unload(version));
    }
  }

  /** The jar is only for this version: without this, each version would leave one behind. */
  private static void unload(Version version) {
    version.close();
    try {
      Files.deleteIfExists(version.order.jar());
    } catch (IOException failure) {
      log.warn("{} could not be deleted: {}", version.order.jar(), failure.toString());
    }
  }

  /**
   * A handler that ignores its interruption keeps its slot, and one that has opened all files that
   * the process may have leaves no connection to the server; only a new process helps then.
   */
  private void look() {
    versions
        .values()
        .forEach(version -> {
          Loaded loaded = version.loaded;
          if (loaded == null) {
            return;
          }
          HoldfastNode node = loaded.worker().node();
          if (isHung(node)) {
            ChildMain.giveUp(
                "a handler of %s does not respond to interruption".formatted(version.order.stack()),
                null);
          }
          if (version.isCutOff(node)) {
            ChildMain.giveUp(
                "%s has not reached the server for a long time".formatted(version.order.stack()),
                null);
          }
        });
  }

  private static boolean isHung(HoldfastNode node) {
    return !node.isReady() && node.load().heartbeatMargin().isPositive();
  }

  @Override
  public void close() {
    watching.shutdownNow();
    var closing =
        versions.values().stream()
            .map(version -> Thread.ofPlatform().daemon().start(version::close))
            .toList();
    try {
      for (Thread one : closing) {
        one.join();
      }
    } catch (InterruptedException impatient) {
      Thread.currentThread().interrupt();
    }
  }

  /** A version that works. */
  private record Loaded(RemoteWorker worker, ModulePath path) {

    /** Files stay open until the class loader is closed, even if nothing refers to it. */
    void close() {
      worker.close();
      try {
        path.close();
      } catch (IOException failure) {
        log.warn("The jar of {} could not be closed: {}", path, failure.toString());
      }
    }
  }

  /** A version, which is being loaded or works. */
  private final class Version {
    private final Orders.Load order;
    private final Thread thread;
    private volatile @Nullable Loaded loaded;
    private volatile boolean closed;
    private long lastReached = System.nanoTime();

    Version(Orders.Load order) {
      this.order = order;
      this.thread = Thread.ofPlatform().daemon().name("load " + order.stack()).unstarted(this::run);
    }

    /** Returns whether it has not reached the server for another timeout after its fencing. */
    boolean isCutOff(HoldfastNode node) {
      if (node.load().heartbeatMargin().isPositive()) {
        lastReached = System.nanoTime();
      }
      return System.nanoTime() - lastReached > settings.timeout().toNanos();
    }

    private void run() {
      while (!closed) {
        try {
          start();
          log.info("Package {} is loaded", order.stack());
          return;
        } catch (RuntimeException | LinkageError | IOException failure) {
          log.warn(
              "Package {} could not be loaded, retrying in {} s: {}",
              order.stack(),
              AGAIN.toSeconds(),
              failure.toString());
        }
        try {
          Thread.sleep(AGAIN);
        } catch (InterruptedException unloaded) {
          return;
        }
      }
    }

    private void start() throws IOException {
      ModulePath path = ModulePath.ofPackage(order.stack(), order.jar());
      try {
        Loaded started = new Loaded(builder(path.loader()).start(), path);
        lastReached = System.nanoTime();
        loaded = started;
        if (closed) {
          started.close();
        }
      } catch (RuntimeException | Error failure) {
        path.close();
        throw failure;
      }
    }

    private RemoteWorker.Builder builder(ClassLoader loader) {
      RemoteWorker.Builder builder =
          RemoteWorker.connect(settings.server(), settings.key())
              .tenant(settings.tenant())
              .timeout(settings.timeout())
              .stack(order.stack())
              .secretsOfServer()
              .with(node ->
                  node.id(settings.id() + "-p" + order.number())
                      .name(order.stack())
                      // Its own: a codec remembers the types that it has seen.
                      .codec(new JsonCodec())
                      .maxConcurrent(settings.most())
                      .shutdownGrace(settings.grace())
                      .maxLostShare(0)
                      .interceptAttempts(attempt -> {
                        Thread.currentThread().setContextClassLoader(loader);
                        return attempt.proceed();
                      }));
      settings.queues().forEach(builder::queue);
      Thread.currentThread().setContextClassLoader(loader);
      ServiceLoader.load(TaskModule.class, loader).forEach(builder::install);
      return builder;
    }

    void close() {
      closed = true;
      thread.interrupt();
      Loaded started = loaded;
      if (started != null) {
        started.close();
        log.info("Package {} is unloaded", order.stack());
      }
    }
  }
}
