package dev.holdfast.server.node;

import dev.holdfast.api.StoreException;
import dev.holdfast.engine.held.FairSlots;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.node.NodeCore;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.role.Driver;
import dev.holdfast.engine.role.Environment;
import dev.holdfast.engine.time.Deadline;
import dev.holdfast.server.node.Hints.Kind;
import dev.holdfast.server.node.Hints.Pending;
import dev.holdfast.server.node.Hints.Served;
import dev.holdfast.server.node.Hints.Subject;
import dev.holdfast.server.tenant.OpenTenant;
import dev.holdfast.server.tenant.Tenant;
import dev.holdfast.server.tenant.TenantState;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tenants in which this server works. Starts a node of the engine in each tenant that has work,
 * and stops it when it has had nothing to do for a while. {@link ServerNode} decides when to look
 * for such tenants.
 */
final class ActiveTenants implements TenantChanges.Node {
  private static final Logger log = LoggerFactory.getLogger(ActiveTenants.class);
  private static final Duration SHARE_EVERY = Duration.ofSeconds(5);

  /** Some node looks at every tenant once a day, even if a hint was lost. */
  private static final Duration AT_LATEST = Duration.ofDays(1);

  /** How many nodes start or stop at the same time. */
  private static final int STARTING = 8;

  private static final int ROLE_THREADS = 24;

  /** In how many tenants without work a node registers at the same time. */
  private static final int REGISTERING = 32;

  private final ServerNode.Settings settings;
  private final ServerProcess process;
  private final TenantChanges changes;
  private final Hints hints;
  private final ServerNode.Directory directory;
  private final FairSlots slots;
  private final Environment environment;
  private final Runnable onLeft;
  private final Map<Integer, ActiveTenant> active = new ConcurrentHashMap<>();
  private final TenantPauses paused = new TenantPauses();
  private final Semaphore starting = new Semaphore(STARTING);
  private final AtomicInteger unfinished = new AtomicInteger();
  private final ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor();
  private volatile boolean closed;
  private long nextShare;

  /**
   * @param onLeft called when a tenant was left
   */
  ActiveTenants(
      ServerNode.Settings settings,
      ServerProcess process,
      TenantChanges changes,
      Hints hints,
      FairSlots slots,
      ServerNode.Directory directory,
      Runnable onLeft) {
    this.settings = settings;
    this.process = process;
    this.changes = changes;
    this.hints = hints;
    this.slots = slots;
    this.directory = directory;
    this.onLeft = onLeft;
    Environment machine = Environment.machine();
    this.environment =
        new Environment(
            Driver.pool(machine.ticker(), ROLE_THREADS),
            machine.ticker(),
            machine.ids(),
            machine.random());
  }

  private NodeCore core() {
    return process.core();
  }

  /** Returns the number of these tenants. */
  int count() {
    return active.size();
  }

  /** Returns the number of running jobs. */
  int running() {
    return active.values().stream()
        .map(ActiveTenant::node)
        .filter(Objects::nonNull)
        .mapToInt(node -> node.load().running())
        .sum();
  }

  @Override
  public boolean isActive(int tenant) {
    return active.containsKey(tenant);
  }

  @Override
  public boolean staysIn(int tenant) {
    ActiveTenant known = active.get(tenant);
    return known != null && known.touch(System.nanoTime()) && !core().isOver();
  }

  /**
   * Records that there may be work in a tenant.
   *
   * @return whether the node is there, or about to enter or to leave
   */
  boolean expect(int tenant) {
    ActiveTenant known = active.get(tenant);
    if (known == null) {
      paused.end(tenant);
      return false;
    }
    boolean unused = known.touch(System.nanoTime());
    return true;
  }

  /** Applies the state and the settings of a tenant. */
  void changed(Tenant tenant) {
    ActiveTenant known = active.get(tenant.id());
    if (known == null) {
      return;
    }
    if (tenant.state() != TenantState.ACTIVE) {
      if (known.stopIfIdleFor(Long.MIN_VALUE / 2, System.nanoTime())) {
        startElsewhere(() -> stop(tenant.id(), known));
      }
    } else {
      known.share().configure(tenant.settings().weight(), tenant.settings().maxHeld());
    }
  }

  /**
   * Enters a tenant whose hint was taken, unless there is already a node.
   *
   * @param ready whether there may be ready work, and not only something that falls due
   */
  void visit(int tenant, boolean ready) {
    ActiveTenant known = active.get(tenant);
    if (known != null) {
      if (known.touch(System.nanoTime())) {
        hints.clear(tenant, settings.kinds());
      }
      return; // Or it is about to stop, and the hint is due again in a moment.
    }
    Optional<OpenTenant> found = directory.find(tenant);
    if (found.isEmpty() || found.get().tenant().state() != TenantState.ACTIVE) {
      paused.start(tenant);
      return;
    }
    var own = found.get().tenant().settings();
    ActiveTenant fresh =
        new ActiveTenant(found.get(), slots.share(own.weight(), own.maxHeld()), System.nanoTime());
    active.put(tenant, fresh);
    startElsewhere(() -> {
      if (ready || hasWork(fresh)) {
        activate(tenant, fresh);
      } else {
        drop(tenant, fresh);
      }
    });
  }

  /**
   * Enters tenants to register workflows and schedules there, some at a time.
   *
   * @return whether some of them have not registered yet
   */
  boolean register(Registrations registrations, long now) {
    List<Integer> excluded = paused.at(now);
    int entered = 0;
    for (int tenant : registrations.due()) {
      ActiveTenant known = active.get(tenant);
      HoldfastNode node = known == null ? null : known.node();
      if (node != null && node.hasDeclared()) {
        directory.registered(tenant, process.modules());
        registrations.done(tenant);
      } else if (known != null) {
        entered++;
      } else if (entered < REGISTERING && !excluded.contains(tenant)) {
        entered++;
        visit(tenant, true);
      }
    }
    return entered > 0;
  }

  /** Starts or stops a node on another thread, so that a slow tenant does not delay others. */
  private void startElsewhere(Runnable work) {
    unfinished.incrementAndGet();
    workers.execute(() -> {
      try {
        starting.acquire();
        try {
          work.run();
        } finally {
          starting.release();
        }
      } catch (InterruptedException stopping) {
        Thread.currentThread().interrupt();
      } finally {
        unfinished.decrementAndGet();
      }
    });
  }

  /** Checks whether something is due in a tenant, without entering it. */
  private boolean hasWork(ActiveTenant fresh) {
    try {
      return hints.glance(subject(fresh), settings.kinds(), served(), AT_LATEST).ready();
    } catch (StoreException failure) {
      log.warn(
          "Could not look for work of tenant {}, trying again: {}",
          fresh.tenant().tenant().name(),
          failure.getMessage());
      return false; // The hint is due again in a moment.
    }
  }

  private static Subject subject(ActiveTenant one) {
    return Subject.of(one.tenant().tenant());
  }

  private Served served() {
    return new Served(settings.process().queues(), settings.process().tasks());
  }

  private void drop(int tenant, ActiveTenant fresh) {
    active.remove(tenant, fresh);
    fresh.share().close();
  }

  private void activate(int tenant, ActiveTenant fresh) {
    try {
      HoldfastNode node =
          settings
              .builders()
              .apply(fresh.tenant())
              .id(settings.process().id())
              .coordinator(process.signals().of(tenant))
              .environment(environment)
              .mode(core().modes().node())
              .partOf(core(), fresh.share())
              .start();
      core().modes().overrides().forEach(node::mode);
      fresh.started(node, System.nanoTime());
      paused.end(tenant);
      // It is registered: if this process dies, its hold leads to new hints.
      hints.clear(tenant, settings.kinds());
      if (closed) {
        node.close();
      }
    } catch (RuntimeException failure) {
      log.warn(
          "Tenant {} has work and cannot be worked for at present: {}",
          fresh.tenant().tenant().name(),
          failure.getMessage(),
          failure);
      if (fresh.node() == null) {
        drop(tenant, fresh);
        paused.start(tenant);
      }
    }
  }

  /** Returns the tenants to skip for now. */
  List<Integer> pausedAt(long now) {
    return paused.at(now);
  }

  /** Leaves tenants that have had no work for a while, or are not active. */
  void review(long now) {
    boolean shares = now - nextShare >= 0;
    if (shares) {
      nextShare = now + SHARE_EVERY.toNanos();
    }
    active.forEach((tenant, one) -> {
      one.review(now);
      HoldfastNode node = one.node();
      if (node == null) {
        return;
      }
      if (one.tenant().tenant().state() != TenantState.ACTIVE) {
        if (one.stopIfIdleFor(Long.MIN_VALUE / 2, now)) {
          startElsewhere(() -> stop(tenant, one));
        }
        return;
      }
      if (shares && settings.kinds().contains(Kind.R) && node.isSaturated()) {
        hints.append(tenant); // Another node may have free slots.
        process.signals().of(tenant).announce(new Signal.Scheduled(Duration.ZERO));
      }
      if (one.stopIfIdleFor(settings.idle().toNanos(), now)) {
        startElsewhere(() -> rest(tenant, one));
      }
    });
  }

  /** Stops working in a tenant, unless there is work after all, or a request may add some. */
  private void rest(int tenant, ActiveTenant one) {
    boolean leaves;
    try {
      leaves = changes.whileNone(tenant, () -> settle(tenant, one)).orElse(false);
    } catch (StoreException failure) {
      log.warn(
          "Could not look for work of tenant {}, trying again: {}",
          one.tenant().tenant().name(),
          failure.getMessage());
      leaves = false;
    }
    if (leaves) {
      stop(tenant, one);
    } else {
      one.stay(System.nanoTime());
    }
  }

  private boolean settle(int tenant, ActiveTenant one) {
    Pending pending =
        hints.settle(subject(one), core().incarnation(), settings.kinds(), served(), AT_LATEST);
    if (!pending.ready() && pending.foreign()) {
      paused.start(tenant);
    }
    return !pending.ready();
  }

  private void stop(int tenant, ActiveTenant one) {
    HoldfastNode node = one.node();
    if (node != null) {
      node.close();
    }
    one.share().close();
    active.remove(tenant, one);
    onLeft.run();
  }

  /** Interrupts running jobs, so that a close that waits for them returns soon. */
  void stopNow() {
    inParallel(HoldfastNode::stopNow);
  }

  private void inParallel(Consumer<HoldfastNode> action) {
    List<Thread> threads =
        active.values().stream()
            .map(ActiveTenant::node)
            .filter(Objects::nonNull)
            .map(node -> Thread.ofVirtual().start(() -> action.accept(node)))
            .toList();
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException impatient) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  /**
   * Leaves all tenants. None is entered from now on.
   *
   * @param toSettle how long to wait for nodes that start or stop
   * @return whether no job is held any more
   */
  boolean leaveAll(Duration toSettle) {
    closed = true;
    boolean unused = Deadline.in(toSettle).await(() -> unfinished.get() == 0);
    inParallel(HoldfastNode::close);
    workers.shutdownNow();
    return active.values().stream()
        .map(ActiveTenant::node)
        .allMatch(node -> node == null || node.held() == 0);
  }
}
