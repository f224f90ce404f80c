package dev.holdfast.engine.lease;

import dev.holdfast.api.Page;
import dev.holdfast.api.lease.Acquisition;
import dev.holdfast.api.lease.LeaseInfo;
import dev.holdfast.api.lease.LeaseRequest;
import dev.holdfast.api.lease.LeaseState;
import dev.holdfast.api.lease.Leases;
import dev.holdfast.api.lease.Locks;
import dev.holdfast.api.lease.StartupCoordinator;
import dev.holdfast.engine.held.LogContext;
import dev.holdfast.engine.held.NodeIdentity;
import dev.holdfast.engine.meter.LeaseMeters;
import dev.holdfast.engine.role.Driver;
import dev.holdfast.engine.role.Environment;
import dev.holdfast.engine.store.LeaseStore;
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
 * become free for others when their TTL is over.
 */
public final class HoldfastLeases implements Leases, AutoCloseable {
  private static final Duration LAST_RENEWAL = Duration.ofSeconds(1);

  private final HeldLeases held = new HeldLeases(this::lookAfter);
  private final Duration defaultTtl;
  private final LeaseAcquirer acquirer;
  private final Locks locks;
  private final StartupCoordinator startup;
  private final Driver.Driven<Renewer> renewer;
  private final Driver.Driven<LeaseExpiry> fence;
  private boolean started;
  private boolean closed;

  private HoldfastLeases(Builder from) {
    Driver driver = from.environment.driver();
    LeaseCalls calls =
        new LeaseCalls(
            from.store,
            from.holder,
            from.environment.ticker(),
            new LeaseMeters(from.meters, from.name));
    this.defaultTtl = from.defaultTtl;
    this.acquirer =
        new LeaseAcquirer(
            calls,
            from.environment.ids(),
            held,
            from.events,
            callback ->
                driver.run(
                    "lease-lost",
                    () -> {
                      from.entering.run();
                      callback.run();
                    }));
    this.locks = Locks.over(this);
    this.startup = StartupCoordinator.over(this);
    this.renewer = driver.drive(waker -> new Renewer(held, calls), from.entering);
    this.fence = driver.drive(waker -> new LeaseExpiry(held), from.entering);
  }

  /** Creates leases on a store with the default settings. */
  public static HoldfastLeases on(Store store) {
    return builder(store.leases()).build();
  }

  /** Returns a builder for leases on a store. */
  public static Builder builder(LeaseStore store) {
    return new Builder(store);
  }

  /** Configures leases. Every setting has a default. */
  public static final class Builder {
    private final LeaseStore store;
    private String holder = NodeIdentity.hostAndPid().id();
    private @Nullable String name;
    private Runnable entering = () -> {};
    private Duration defaultTtl = LeaseRequest.DEFAULT_TTL;
    private MeterRegistry meters = Metrics.globalRegistry;
    private LeaseEvents events = LeaseEvents.NONE;
    private Environment environment = Environment.machine();

    private Builder(LeaseStore store) {
      this.store = store;
    }

    /**
     * Sets the display name of this process as the holder of leases, which other processes see when
     * they request a lease that is busy. Defaults to the host name and the process id.
     */
    public Builder holder(String display) {
      this.holder = display;
      return this;
    }

    /**
     * Sets the TTL of leases and locks that are acquired without one, 100 ms to 365 days. A short
     * TTL lets others take over sooner after a crash; a long one survives longer outages of the
     * database. Defaults to 2 minutes.
     */
    public Builder defaultTtl(Duration ttl) {
      this.defaultTtl = LeaseRequest.checkTtl("leases without one", ttl);
      return this;
    }

    /** Sets the registry for meters. Defaults to Micrometer's global registry. */
    public Builder meters(MeterRegistry registry) {
      this.meters = registry;
      return this;
    }

    /**
     * Makes a node the holder: leases show its id, meters its display name, and log lines both.
     * Defaults to no node.
     */
    public Builder node(LogContext node) {
      this.holder = node.node();
      this.name = node.name();
      this.entering = node::enter;
      return this;
    }

    /** Sets the receiver of events about acquired, released and lost leases. Defaults to none. */
    public Builder events(LeaseEvents told) {
      this.events = told;
      return this;
    }

    /**
     * Replaces the clock, the threads and the ids, for simulations. Defaults to {@link
     * Environment#machine}.
     */
    public Builder environment(Environment own) {
      this.environment = own;
      return this;
    }

    /** Creates the leases. Nothing is started before the first one is acquired. */
    public HoldfastLeases build() {
      return new HoldfastLeases(this);
    }
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
  public Acquisition acquire(String key) {
    return acquire(key, defaultTtl);
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
  public List<LeaseInfo> list(Page<String> page) {
    return acquirer.list(page);
  }

  @Override
  public List<LeaseInfo> list(LeaseState state, Page<String> page) {
    return acquirer.list(state, page);
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
    // A renewal in progress may wait for the database for a long time; it no longer has an effect.
    Deadline.in(LAST_RENEWAL).await(() -> renewer.hasEnded() && fence.hasEnded());
  }
}
