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
 * Leases on any store, with or without a node. Two threads renew and expire them; they are started
 * when the first lease is acquired.
 *
 * <p>Closing stops the renewals: leases that are still held are lost at once for their holders, and
 * become free for others when their ttl is over.
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

  /**
   * Creates leases whose holder is this host and process, metered in Micrometer's global registry.
   */
  public static HoldfastLeases on(Store store) {
    return on(store, NodeIdentity.hostAndPid().id(), Metrics.globalRegistry);
  }

  /**
   * Creates leases on a store.
   *
   * @param holder the display name of this process as the holder of leases
   */
  public static HoldfastLeases on(Store store, String holder, MeterRegistry meters) {
    return on(store, holder, meters, Environment.machine());
  }

  /**
   * Creates leases on a store in the given environment, for simulations that provide the clock and
   * the threads.
   */
  public static HoldfastLeases on(
      Store store, String holder, MeterRegistry meters, Environment environment) {
    return new HoldfastLeases(store, holder, new LeaseMeters(meters, null), environment, () -> {});
  }

  /** Creates the leases of a node, whose threads log in its name. */
  public static HoldfastLeases ofNode(
      Store store, LogContext node, MeterRegistry meters, Environment environment) {
    return new HoldfastLeases(
        store, node.node(), new LeaseMeters(meters, node.name()), environment, node::enter);
  }

  /** Starts the thread of each role, if necessary, and wakes it for the new lease. */
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
          "These leases are closed: acquire leases before closing, or from another instance.");
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

  /** Returns named locks. */
  public Locks locks() {
    return locks;
  }

  /** Returns the coordinator of work that is done once at start-up. */
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
