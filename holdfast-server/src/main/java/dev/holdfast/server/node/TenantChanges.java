package dev.holdfast.server.node;

import dev.holdfast.api.StoreException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The changes that requests to this server make in tenants.
 *
 * <p>A node that looks for work in a tenant does not see uncommitted changes. So a tenant is
 * <em>held</em> from before a change until a hint has been left after it. If this server has a node
 * in the tenant, that node holds it: it does not leave during a change, and looks for work before
 * it leaves. Otherwise the process records a hold, which ends in the transaction that leaves the
 * hints. If the process dies, the process that releases its holds leaves hints. All changes within
 * some seconds share one hold, so most of them cost no statement.
 *
 * <p>Hints that are left before a change only save time: a node that takes one is already in the
 * tenant when the change is committed.
 */
public final class TenantChanges implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(TenantChanges.class);

  /** The node of this server. */
  interface Node {
    /**
     * Returns whether it works in a tenant and stays there, until {@link #whileNone} lets it look
     * and leave.
     */
    boolean staysIn(int tenant);

    /** Returns whether it is in a tenant, or about to enter or to leave it. */
    boolean isActive(int tenant);
  }

  /** The node of a server that runs and schedules nothing. */
  static final Node NONE =
      new Node() {
        @Override
        public boolean staysIn(int tenant) {
          return false;
        }

        @Override
        public boolean isActive(int tenant) {
          return false;
        }
      };

  private static final Duration LONGEST_WINDOW = Duration.ofSeconds(5);
  private static final Duration TICK = Duration.ofSeconds(1);

  /** How much longer a node stays in a tenant than the time for which a hint is relied on. */
  private static final int MARGIN = 4;

  /** A change whose call failed may still be executed, for as long as a statement may take. */
  private static final Duration UNCERTAIN = Duration.ofMinutes(1);

  private final ServerProcess process;
  private final Holds holds;
  private final Hints hints;
  private final LongSupplier nanos;
  private final long window;
  private final Map<Integer, OfTenant> tenants = new ConcurrentHashMap<>();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("holdfast-changes").factory());
  private volatile Node node = NONE;

  /**
   * @param idle how long nodes stay in a tenant without work, the same for all servers
   */
  public TenantChanges(ServerProcess process, Holds holds, Hints hints, Duration idle) {
    this(process, holds, hints, idle, System::nanoTime);
  }

  TenantChanges(
      ServerProcess process, Holds holds, Hints hints, Duration idle, LongSupplier nanos) {
    this.process = process;
    this.holds = holds;
    this.hints = hints;
    this.nanos = nanos;
    this.window = Math.min(LONGEST_WINDOW.toNanos(), idle.toNanos() / MARGIN);
  }

  /** Starts to end holds that are not needed. */
  public TenantChanges start() {
    Future<?> unused =
        timer.scheduleWithFixedDelay(
            this::tick, TICK.toMillis(), TICK.toMillis(), TimeUnit.MILLISECONDS);
    return this;
  }

  /** Sets the node of this server. */
  void node(Node own) {
    node = own;
  }

  /**
   * The hold of this process in a tenant.
   *
   * @param as the incarnation that it names: if the node of this server registers, it is another
   */
  private record Held(UUID by, UUID as) {}

  private static final class OfTenant {
    final int id;
    final ReentrantLock lock = new ReentrantLock();
    int underWay;
    long quietFrom;
    long lastHint;
    @Nullable Held held;

    OfTenant(int id, long now) {
      this.id = id;
      this.quietFrom = now;
    }
  }

  private OfTenant of(int tenant) {
    return tenants.computeIfAbsent(tenant, id -> new OfTenant(id, nanos.getAsLong()));
  }

  /** Makes a change in a tenant, and makes sure that a node looks at the tenant afterwards. */
  public <T> T make(int tenant, Supplier<T> change) {
    OfTenant one = of(tenant);
    long started = nanos.getAsLong();
    UUID as = start(one, started);
    boolean known = true;
    try {
      return change.get();
    } catch (StoreException failure) {
      known = false;
      throw failure;
    } finally {
      end(one, as, started, known);
    }
  }

  /** Leaves hints, for a tenant that nodes should look at although nothing in it changes. */
  public void wake(int tenant) {
    if (!node.staysIn(tenant)) {
      hints.append(tenant);
    }
  }

  private UUID start(OfTenant one, long now) {
    one.lock.lock();
    try {
      UUID as = process.incarnation();
      if (!node.staysIn(one.id) || process.isOver()) {
        hold(one, as, now);
      }
      one.underWay++;
      return as;
    } finally {
      one.lock.unlock();
    }
  }

  private void hold(OfTenant one, UUID as, long now) {
    Held known = one.held;
    if (known == null || !known.by().equals(as)) {
      // Null if others have declared this process dead: then hints follow each change.
      one.held =
          holds.open(process.database(), as, one.id).map(named -> new Held(as, named)).orElse(null);
    } else if (now - one.lastHint < window) {
      return;
    } else {
      hints.append(one.id);
    }
    one.lastHint = now;
  }

  private void end(OfTenant one, UUID as, long started, boolean isKnown) {
    boolean hint;
    long now = nanos.getAsLong();
    one.lock.lock();
    try {
      one.underWay--;
      long quiet = isKnown ? now : now + UNCERTAIN.toNanos();
      if (quiet - one.quietFrom > 0) {
        one.quietFrom = quiet;
      }
      Held known = one.held;
      boolean covered =
          as.equals(process.incarnation())
              && !process.isOver()
              && (node.staysIn(one.id) || (known != null && known.by().equals(as)));
      // Nodes may have looked and gone during a long change; then it is only a matter of time.
      hint = !covered || (now - started > window && !node.staysIn(one.id));
    } finally {
      one.lock.unlock();
    }
    if (hint) {
      try {
        hints.append(one.id);
      } catch (StoreException away) {
        log.warn(
            "Work of tenant {} may be found late, because no hint could be left for it: {}",
            one.id,
            away.getMessage());
      }
    }
  }

  /**
   * Looks for work in a tenant while no change is in progress in it, and none starts.
   *
   * @param look ends the hold of this process if the node leaves
   * @return empty if a change is under way, or may be
   */
  <T> Optional<T> whileNone(int tenant, Supplier<T> look) {
    OfTenant one = of(tenant);
    one.lock.lock();
    try {
      if (one.underWay > 0 || isUncertain(one, nanos.getAsLong())) {
        return Optional.empty();
      }
      one.held = null; // The look may end it.
      return Optional.of(look.get());
    } finally {
      one.lock.unlock();
    }
  }

  private static boolean isUncertain(OfTenant one, long now) {
    return one.quietFrom - now > 0;
  }

  void tick() {
    for (OfTenant one : tenants.values()) {
      if (!one.lock.tryLock()) {
        continue; // It is used.
      }
      try {
        letGo(one, nanos.getAsLong());
      } catch (StoreException away) {
        log.debug(
            "Hold of tenant {} could not be ended, retrying within a second: {}",
            one.id,
            away.getMessage());
      } catch (RuntimeException failure) {
        log.warn("Hold of tenant {} could not be ended, retrying within a second", one.id, failure);
      } finally {
        one.lock.unlock();
      }
    }
  }

  private void letGo(OfTenant one, long now) {
    Held known = one.held;
    if (known == null || one.underWay > 0 || now - one.quietFrom < window) {
      return;
    }
    if (node.isActive(one.id)) {
      return; // Its node holds the tenant too, and lets go of it when it leaves.
    }
    holds.close(process.database(), known.by(), one.id, known.as());
    one.held = null;
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
