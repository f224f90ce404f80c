package dev.holdfast.server.node;

import dev.holdfast.api.StoreException;
import dev.holdfast.engine.held.FairSlots;
import dev.holdfast.engine.node.HoldfastNode;
import dev.holdfast.engine.node.NodeBuilder;
import dev.holdfast.engine.node.NodeCore;
import dev.holdfast.engine.node.NodeLoad;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.role.Driver;
import dev.holdfast.engine.role.Environment;
import dev.holdfast.engine.time.Deadline;
import dev.holdfast.server.node.Hints.Kind;
import dev.holdfast.server.node.Hints.Pending;
import dev.holdfast.server.node.Hints.Served;
import dev.holdfast.server.node.Hints.Subject;
import dev.holdfast.server.node.Hints.Taken;
import dev.holdfast.server.tenant.OpenTenant;
import dev.holdfast.server.tenant.Tenant;
import dev.holdfast.server.tenant.TenantState;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The node of a server. It works in the tenants that have work: it takes a hint, starts a node of the engine in that tenant, and stops it when there has been nothing to do
 * for a while. A tenant without work costs nothing.
 */
public final class ServerNode implements TenantChanges.Node, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ServerNode.class);
  private static final Duration POLL = Duration.ofSeconds(5);
  private static final Duration POLL_UNHEARD = Duration.ofSeconds(1);
  private static final Duration BETWEEN_TAKES = Duration.ofMillis(20);
  private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);
  private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);
  private static final Duration SHARE_EVERY = Duration.ofSeconds(5);

  /** Every tenant is looked at once a day, whatever has gone wrong. */
  private static final Duration AT_LATEST = Duration.ofDays(1);

  private static final Duration TO_SETTLE = Duration.ofSeconds(10);

  private static final int TAKEN_AT_ONCE = 32;

  /** How many nodes start or stop at the same time. */
  private static final int STARTING = 8;

  private static final int ROLE_THREADS = 24;

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
  }

  /** What the node uses. */
  public record Parts(
      ServerProcess process, TenantChanges changes, Hints hints, TenantSignals signals) {}

  private record Pause(long until, long length) {}

  private final Settings settings;
  private final Parts parts;
  private final Directory directory;
  private final FairSlots slots;
  private final Environment environment;
  private final Map<Integer, ActiveTenant> active = new ConcurrentHashMap<>();
  private final Map<Integer, Pause> paused = new ConcurrentHashMap<>();
  private final Semaphore wakeups = new Semaphore(0);
  private final Semaphore starting = new Semaphore(STARTING);
  private final AtomicInteger unfinished = new AtomicInteger();
  private final ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor();
  private @Nullable Thread loop;
  private volatile boolean closed;
  private long nextShare;

  public ServerNode(Settings settings, Parts parts, FairSlots slots, Directory directory) {
    this.settings = settings;
    this.parts = parts;
    this.directory = directory;
    this.slots = slots;
    Environment machine = Environment.machine();
    this.environment =
        new Environment(
            Driver.pool(machine.ticker(), ROLE_THREADS),
            machine.ticker(),
            machine.ids(),
            machine.random());
  }

  /** Starts to look for work. The process has been registered. */
  public ServerNode start() {
    parts.changes().node(this);
    parts.signals().onTenant(this::heard);
    loop = Thread.ofPlatform().daemon().name("holdfast-tenants").start(this::run);
    return this;
  }

  private NodeCore core() {
    return parts.process().core();
  }

  /** Returns whether the process may act. */
  public boolean isReady() {
    return !closed && !core().isOver();
  }

  /** Returns how busy the node is now. Reads memory only. */
  public NodeLoad load() {
    int running =
        active.values().stream()
            .map(ActiveTenant::node)
            .filter(Objects::nonNull)
            .mapToInt(node -> node.load().running())
            .sum();
    return new NodeLoad(running, slots.capacity(), core().tenure().left());
  }

  /** Returns in how many tenants the node works at present. */
  public int activeTenants() {
    return active.size();
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

  private void heard(int tenant) {
    ActiveTenant known = active.get(tenant);
    if (known == null) {
      paused.remove(tenant);
      look();
    } else {
      known.touch(System.nanoTime());
    }
  }

  private void look() {
    if (wakeups.availablePermits() == 0) {
      wakeups.release();
    }
  }

  /** Takes over the state and the settings of a tenant. */
  public void changed(Tenant tenant) {
    ActiveTenant known = active.get(tenant.id());
    if (known == null) {
      return;
    }
    if (tenant.state() != TenantState.ACTIVE) {
      if (known.stopIfIdleFor(Long.MIN_VALUE / 2, System.nanoTime())) {
        begin(() -> stop(tenant.id(), known));
      }
    } else {
      known.share().configure(tenant.settings().weight(), tenant.settings().maxHeld());
    }
  }

  private void run() {
    while (!closed) {
      Duration next;
      try {
        next = core().isOver() ? AFTER_FAILURE : turn();
      } catch (StoreException failure) {
        log.warn(
            "Looking for tenants with work failed, retrying in {} ms: {}",
            AFTER_FAILURE.toMillis(),
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
    Duration poll = parts.signals().shared().hearsOthers() ? POLL : POLL_UNHEARD;
    if (!settings.tenants().isEmpty() && only.isEmpty()) {
      return poll; // None of its tenants exists.
    }
    Taken taken = parts.hints().take(settings.kinds(), only, pausedNow(now), TAKEN_AT_ONCE);
    taken.tenants().forEach(this::visit);
    review(now);
    if (taken.tenants().size() == TAKEN_AT_ONCE) {
      return Duration.ZERO;
    }
    Duration next = taken.next();
    return next != null && next.compareTo(poll) < 0 ? next : poll;
  }

  private List<Integer> pausedNow(long now) {
    return paused.entrySet().stream()
        .filter(entry -> now - entry.getValue().until() < 0)
        .map(Map.Entry::getKey)
        .toList();
  }

  private void visit(int tenant, boolean ready) {
    ActiveTenant known = active.get(tenant);
    if (known != null) {
      if (known.touch(System.nanoTime())) {
        parts.hints().clear(tenant, settings.kinds());
      }
      return; // Or it is about to stop, and the hint is due again in a moment.
    }
    Optional<OpenTenant> found = directory.find(tenant);
    if (found.isEmpty() || found.get().tenant().state() != TenantState.ACTIVE) {
      pause(tenant);
      return;
    }
    var own = found.get().tenant().settings();
    ActiveTenant fresh =
        new ActiveTenant(found.get(), slots.share(own.weight(), own.maxHeld()), System.nanoTime());
    active.put(tenant, fresh);
    begin(() -> {
      // Without ready work to take, the hint may be of a change that is not committed yet.
      if (ready || !settings.kinds().contains(Hints.Kind.R) || hasWork(fresh)) {
        activate(tenant, fresh);
      } else {
        drop(tenant, fresh);
      }
    });
  }

  /** Starts or stops a node elsewhere: a tenant that does not respond must not delay the others. */
  private void begin(Runnable work) {
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

  /** Looks at a tenant in which something falls due, without working in it. */
  private boolean hasWork(ActiveTenant fresh) {
    try {
      return parts.hints().glance(subject(fresh), settings.kinds(), served(), AT_LATEST).ready();
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
              .coordinator(parts.signals().of(tenant))
              .environment(environment)
              .mode(core().modes().node())
              .partOf(core(), fresh.share())
              .start();
      core().modes().overrides().forEach(node::mode);
      fresh.started(node, System.nanoTime());
      paused.remove(tenant);
      // It is registered: if this process dies, its hold leads to new hints.
      parts.hints().clear(tenant, settings.kinds());
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
        pause(tenant);
      }
    }
  }

  /** Leaves a tenant out for a while, which grows each time. */
  private void pause(int tenant) {
    paused.compute(
        tenant,
        (id, before) -> {
          long length =
              before == null
                  ? AFTER_FAILURE.toNanos()
                  : Math.min(LONGEST_PAUSE.toNanos(), 2 * before.length());
          return new Pause(System.nanoTime() + length, length);
        });
  }

  private void review(long now) {
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
          begin(() -> stop(tenant, one));
        }
        return;
      }
      if (shares && settings.kinds().contains(Kind.R) && node.isSaturated()) {
        parts.hints().append(tenant); // Another node may have free slots.
        parts.signals().of(tenant).announce(new Signal.Scheduled(Duration.ZERO));
      }
      if (one.stopIfIdleFor(settings.idle().toNanos(), now)) {
        begin(() -> rest(tenant, one));
      }
    });
    parts.process().forgetOld(now);
  }

  /** Stops working in a tenant, unless there is work after all, or a request may add some. */
  private void rest(int tenant, ActiveTenant one) {
    boolean leaves;
    try {
      leaves = parts.changes().whileNone(tenant, () -> settle(tenant, one)).orElse(false);
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
        parts
            .hints()
            .settle(subject(one), core().incarnation(), settings.kinds(), served(), AT_LATEST);
    if (!pending.ready() && pending.foreign()) {
      pause(tenant);
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
    look();
  }

  /** Interrupts running jobs, so that a close that waits for them ends at once. */
  public void stopNow() {
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

  @Override
  public void close() {
    closed = true;
    Thread looking = loop;
    if (looking == null) {
      return;
    }
    parts.changes().node(TenantChanges.NONE);
    parts.signals().onTenant(tenant -> {});
    looking.interrupt();
    join(looking::join);
    awaitUnfinished();
    inParallel(HoldfastNode::close);
    boolean empty =
        active.values().stream()
            .map(ActiveTenant::node)
            .allMatch(node -> node == null || node.held() == 0);
    if (!empty) {
      parts.process().abandon();
    }
    workers.shutdownNow();
  }

  private void awaitUnfinished() {
    boolean unused = Deadline.in(TO_SETTLE).await(() -> unfinished.get() == 0);
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
