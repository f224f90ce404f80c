package dev.holdfast.server.node;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.internal.Times;
import dev.holdfast.engine.held.FairSlots;
import dev.holdfast.engine.node.NodeBuilder;
import dev.holdfast.engine.node.NodeCore;
import dev.holdfast.engine.node.NodeLoad;
import dev.holdfast.server.node.Hints.Kind;
import dev.holdfast.server.node.Hints.Taken;
import dev.holdfast.server.tenant.OpenTenant;
import dev.holdfast.server.tenant.Tenant;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The node of a server. It finds the tenants that have work, with one statement for all tenants,
 * and works in these ({@link ActiveTenants}). A tenant without work costs nothing.
 */
public final class ServerNode implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ServerNode.class);
  private static final Duration POLL = Duration.ofSeconds(5);
  private static final Duration POLL_UNHEARD = Duration.ofSeconds(1);
  private static final Duration BETWEEN_TAKES = Duration.ofMillis(20);
  private static final Duration WHILE_REGISTERING = Duration.ofMillis(200);
  private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);

  private static final Duration TO_SETTLE = Duration.ofSeconds(10);

  private static final int TAKEN_AT_ONCE = 32;

  /**
   * What the node does.
   *
   * @param kinds which hints it takes
   * @param tenants the names of the tenants that it works for; empty for all
   * @param idle how long it stays in a tenant without work
   * @param process how its process has registered
   * @param builders configures the node of a tenant
   */
  public record Settings(
      Set<Kind> kinds,
      Set<String> tenants,
      Duration idle,
      NodeCore.Settings process,
      Function<OpenTenant, NodeBuilder> builders) {}

  /** The tenants of the installation. */
  public interface Directory {
    /** Finds a tenant by its number. */
    Optional<OpenTenant> find(int id);

    /** Returns the numbers of the tenants with these names. */
    List<Integer> ids(Collection<String> names);

    /** Records what was registered in a tenant. */
    void registered(int id, String modules);
  }

  private final Settings settings;
  private final ServerProcess process;
  private final TenantChanges changes;
  private final Hints hints;
  private final Directory directory;
  private final FairSlots slots;
  private final Registrations registrations;
  private final ActiveTenants active;
  private final Semaphore wakeups = new Semaphore(0);
  private @Nullable Thread loop;
  private volatile boolean closed;

  public ServerNode(
      Settings settings,
      ServerProcess process,
      TenantChanges changes,
      Hints hints,
      FairSlots slots,
      Directory directory) {
    this.settings = settings;
    this.process = process;
    this.changes = changes;
    this.hints = hints;
    this.directory = directory;
    this.slots = slots;
    this.registrations = new Registrations(process.modules(), settings.tenants());
    this.active =
        new ActiveTenants(settings, process, changes, hints, slots, directory, this::look);
  }

  /** Starts to look for work. The process has been registered. */
  public ServerNode start() {
    if (process.differsFromOthers()) {
      registrations.everywhere();
    }
    changes.node(active);
    process.signals().onTenant(this::heard);
    loop = Thread.ofPlatform().daemon().name("holdfast-tenants").start(this::run);
    return this;
  }

  private NodeCore core() {
    return process.core();
  }

  /** Returns whether the process may act. */
  public boolean isReady() {
    return !closed && !core().isOver();
  }

  /** Returns how busy the node is now. Reads memory only. */
  public NodeLoad load() {
    return new NodeLoad(active.running(), slots.capacity(), core().tenure().left());
  }

  /** Returns in how many tenants the node works at present. */
  public int activeTenants() {
    return active.count();
  }

  /** Returns whether the node works in a tenant at present. */
  public boolean isActive(int tenant) {
    return active.isActive(tenant);
  }

  private void heard(int tenant) {
    if (!active.expect(tenant)) {
      look();
    }
  }

  private void look() {
    if (wakeups.availablePermits() == 0) {
      wakeups.release();
    }
  }

  /** Applies the state and the settings of a tenant. */
  public void changed(Tenant tenant) {
    active.changed(tenant);
    if (registrations.consider(tenant)) {
      look();
    }
  }

  private void run() {
    while (!closed) {
      Duration next;
      try {
        next = core().isOver() ? AFTER_FAILURE : turn();
      } catch (StoreException failure) {
        log.warn(
            "Looking for tenants with work failed, retrying in {}: {}",
            Times.describe(AFTER_FAILURE),
            failure.getMessage());
        next = AFTER_FAILURE;
      } catch (RuntimeException failure) {
        log.error("Looking for tenants with work failed, retrying soon", failure);
        next = AFTER_FAILURE;
      }
      try {
        Thread.sleep(BETWEEN_TAKES);
        if (wakeups.tryAcquire(next.toNanos(), TimeUnit.NANOSECONDS)) {
          wakeups.drainPermits();
        }
      } catch (InterruptedException stopping) {
        return;
      }
    }
  }

  private Duration turn() {
    long now = System.nanoTime();
    List<Integer> only =
        settings.tenants().isEmpty() ? List.of() : directory.ids(settings.tenants());
    Duration poll = process.signals().shared().hearsOthers() ? POLL : POLL_UNHEARD;
    if (!settings.tenants().isEmpty() && only.isEmpty()) {
      return poll; // None of its tenants exists.
    }
    Taken taken = hints.take(settings.kinds(), only, active.pausedAt(now), TAKEN_AT_ONCE);
    taken.tenants().forEach(active::visit);
    boolean registering = active.register(registrations, now);
    active.review(now);
    process.forgetOld(now);
    if (taken.more()) {
      return Duration.ZERO;
    }
    Duration latest = registering ? WHILE_REGISTERING : poll;
    Duration next = taken.next();
    return next != null && next.compareTo(latest) < 0 ? next : latest;
  }

  /** Interrupts running jobs, so that a {@link #close} that waits for them returns soon. */
  public void stopNow() {
    active.stopNow();
  }

  @Override
  public void close() {
    closed = true;
    Thread looking = loop;
    if (looking == null) {
      return;
    }
    changes.node(TenantChanges.NONE);
    process.signals().onTenant(tenant -> {});
    looking.interrupt();
    join(looking::join);
    if (!active.leaveAll(TO_SETTLE)) {
      process.abandon();
    }
  }

  private interface Waiting {
    boolean await(Duration atMost) throws InterruptedException;
  }

  private static void join(Waiting waiting) {
    try {
      boolean unused = waiting.await(TO_SETTLE);
    } catch (InterruptedException impatient) {
      Thread.currentThread().interrupt();
    }
  }
}
