package dev.holdfast.tck.simulation;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.lease.Acquisition;
import dev.holdfast.api.lease.Lease;
import dev.holdfast.engine.lease.HoldfastLeases;
import java.time.Duration;
import java.util.SplittableRandom;

/**
 * Code on a host that works under a lease, and checks before each step that it still holds the
 * lease. All hosts compete for the same key.
 */
final class LeaseUser {
  private static final String KEY = "simulated";
  private static final Duration TTL = Duration.ofSeconds(3);
  private static final long MILLI = 1_000_000;

  private final Timeline timeline;
  private final Host host;
  private final FaultModel weather;
  private final InvariantChecker ledger;
  private final Trace journal;
  private final SplittableRandom random;

  LeaseUser(
      Timeline timeline, Host host, FaultModel weather, InvariantChecker ledger, Trace journal) {
    this.timeline = timeline;
    this.host = host;
    this.weather = weather;
    this.ledger = ledger;
    this.journal = journal;
    this.random = host.chance();
  }

  /** Acquire, work and release until the faults are over. */
  void work(HoldfastLeases leases) {
    while (!weather.isCalm()) {
      // A lease counts its time on the clock of the database, and its holder on the monotonic clock
      // of a machine that is awake: docs/leases.md says what is not promised otherwise.
      int surprises = surprises();
      try {
        if (leases.acquire(KEY, TTL) instanceof Acquisition.Acquired(Lease lease)) {
          workUnder(lease, surprises);
        }
      } catch (StoreException away) {
        journal.note(host.name(), "cannot acquire its lease");
      }
      sleep(random.nextLong(50 * MILLI, 1_000 * MILLI));
    }
  }

  private int surprises() {
    return weather.databaseClockChanges() + host.suspensions();
  }

  private void workUnder(Lease lease, int surprises) {
    journal.note(host.name(), "acquires the lease under token " + lease.fencingToken());
    for (int i = random.nextInt(1, 60); i > 0 && lease.isHeld(); i--) {
      if (surprises != surprises()) {
        return; // Without releasing it: it ends with its time.
      }
      ledger.leaseEffect(KEY, lease.fencingToken());
      sleep(random.nextLong(10 * MILLI, 200 * MILLI));
    }
    if (random.nextBoolean()) {
      lease.close();
    }
  }

  private void sleep(long nanos) {
    timeline.running().sleepUntil(timeline.now() + nanos);
  }
}
