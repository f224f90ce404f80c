package dev.holdfast.engine.lease;

import dev.holdfast.api.lease.Acquisition;
import dev.holdfast.api.lease.LeaseInfo;
import dev.holdfast.api.lease.LeaseState;
import dev.holdfast.api.lease.Leases;
import dev.holdfast.api.lease.Locks;
import dev.holdfast.api.lease.StartupCoordinator;
import dev.holdfast.engine.held.LogContext;
import dev.holdfast.engine.held.NodeIdentity;
import dev.holdfast.engine.meter.LeaseMeters;
import dev.holdfast.engine.role.Driver;
import dev.holdfast.engine.role.Environment;
import dev.holdfast.engine.store.Store;
import dev.holdfast.engine.time.Deadline;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Metrics;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Leases on any store, with or without a node. Two threads look after them, and are started when
 * the first lease is taken.
 *
 * <p>Closing it stops the renewals: what is still held is lost at once in the eyes of its holder,
 * and free for others when its ttl is over.
 */
public final class HoldfastLeases implements Leases, AutoCloseable {
  private static final Duration LAST_RENEWAL = Duration.ofSeconds(1);

  private final HeldLeases held = new HeldLeases();
  private final LeaseAcquirer acquirer;
  private final Locks locks;
  private final StartupCoordinator startup;
  private final Driver.Driven renewer;
  private final Driver.Driven fence;
  private boolean started;
  private boolean closed;

  private HoldfastLeases(
      Store store, String holder, LeaseMeters meters, Environment environment, Runnable entering) {
    Driver driver = environment.driver();
    LeaseParts parts =
        new LeaseParts(
            store.leases(),
            holder,
            held,
            environment.ids(),
            environment.ticker(),
            meters,
            callback ->
                driver.run(
                    "lease-lost",
                    () -> {
                      entering.run();
                      callback.run();
                    }));
    this.acquirer = new LeaseAcquirer(parts);
    this.locks = Locks.over(this);
    this.startup = StartupCoordinator.over(this);
    this.renewer = driver.drive(new Renewer(parts), entering);
    this.fence = driver.drive(new LeaseExpiry(held), entering);
    held.wokenBy(this::lookAfter);
  }

  /** Leases held in the name of this host and process, metered in Micrometer's global registry. */
  public static HoldfastLeases on(Store store) {
    return on(store, NodeIdentity.hostAndPid().id(), Metrics.globalRegistry);
  }

  /**
   * Leases on a store.
   *
   * @param holder what people call this process when they ask who holds a lease
   */
  public static HoldfastLeases on(Store store, String holder, MeterRegistry meters) {
    return on(store, holder, meters, Environment.machine());
  }

  /**
   * Creates leases on a store in the given surroundings, for simulations that provide the clock and
   * the threads.
   */
  public static HoldfastLeases on(
      Store store, String holder, MeterRegistry meters, Environment environment) {
    return new HoldfastLeases(store, holder, new LeaseMeters(meters, null), environment, () -> {});
  }

  /** Leases of a node, whose threads speak for it. */
  public static HoldfastLeases ofNode(
      Store store, LogContext node, MeterRegistry meters, Environment environment) {
    return new HoldfastLeases(
        store, node.node(), new LeaseMeters(meters, node.name()), environment, node::enter);
  }

  /** See to it that there is a thread for each role, and that it knows of the new lease. */
  private synchronized void lookAfter() {
    if (closed) {
      return;
    }
    if (!started) {
      started = true;
      renewer.start();
      fence.start();
    }
    renewer.wake();
    fence.wake();
  }

  @Override
  public Acquisition acquire(String key, Duration ttl) {
    checkOpen();
    return acquirer.acquire(key, ttl);
  }

  @Override
  public Acquisition acquireOnce(String key, Duration ttl) {
    checkOpen();
    return acquirer.acquireOnce(key, ttl);
  }

  private synchronized void checkOpen() {
    if (closed) {
      throw new IllegalStateException(
          "These leases were closed: take leases before that, or from others.");
    }
  }

  @Override
  public boolean reopen(String key) {
    return acquirer.reopen(key);
  }

  @Override
  public List<LeaseInfo> reclaimExpired(int limit) {
    return acquirer.reclaimExpired(limit);
  }

  @Override
  public Optional<LeaseInfo> find(String key) {
    return acquirer.find(key);
  }

  @Override
  public List<LeaseInfo> list(@Nullable LeaseState state, @Nullable String after, int limit) {
    return acquirer.list(state, after, limit);
  }

  /** Named locks. */
  public Locks locks() {
    return locks;
  }

  /** Work to be done once at start-up. */
  public StartupCoordinator startup() {
    return startup;
  }

  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    held.close();
    renewer.stop();
    fence.stop();
    // A renewal in progress may wait long for the database; it changes nothing any more.
    Deadline.in(LAST_RENEWAL).await(() -> renewer.hasEnded() && fence.hasEnded());
  }
}
