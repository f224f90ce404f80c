package dev.holdfast.tck.simulation;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.lease.Acquisition;
import dev.holdfast.api.lease.Lease;
import dev.holdfast.api.lease.Leases;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Code on a host that works under a lease and checks before each step that it still holds the
 * lease. All users on all hosts compete for the same keys.
 */
final class LeaseUser {
  private static final List<String> KEYS = List.of("simulated-1", "simulated-2");
  private static final long MILLI = 1_000_000;

  private final Timeline timeline;
  private final Host host;
  private final FaultModel faultModel;
  private final LeaseChecker checker;
  private final Trace trace;
  private final SplittableRandom random;

  LeaseUser(
      Timeline timeline, Host host, FaultModel faultModel, LeaseChecker checker, Trace trace) {
    this.timeline = timeline;
    this.host = host;
    this.faultModel = faultModel;
    this.checker = checker;
    this.trace = trace;
    this.random = host.chance();
  }

  /** Acquires, uses and releases leases until the faults are over. */
  void work(Leases leases) {
    while (!faultModel.isCalm()) {
      String key = KEYS.get(random.nextInt(KEYS.size()));
      int jumps = checker.jumps(host);
      try {
        if (leases.acquire(key, ttl()) instanceof Acquisition.Acquired(Lease lease)) {
          checker.believes(host, lease, jumps);
          trace.note(host.name(), "acquires the lease under token " + lease.fencingToken());
          workUnder(lease, jumps);
          release(lease);
        }
      } catch (StoreException away) {
        trace.note(host.name(), "cannot acquire its lease");
      }
      sleep(random.nextLong(50 * MILLI, 1_000 * MILLI));
    }
  }

  private Duration ttl() {
    return Duration.ofMillis(random.nextLong(800, 5_000));
  }

  private void workUnder(Lease lease, int jumps) {
    for (int i = random.nextInt(1, 60); i > 0 && lease.isHeld(); i--) {
      if (jumps != checker.jumps(host)) {
        return;
      }
      checker.effect(lease.key(), lease.fencingToken());
      if (random.nextInt(8) == 0) {
        renew(lease);
      }
      sleep(random.nextLong(10 * MILLI, 200 * MILLI));
    }
  }

  private void renew(Lease lease) {
    try {
      if (random.nextBoolean()) {
        lease.renew(ttl());
      } else {
        lease.renew();
      }
    } catch (StoreException away) {
      trace.note(host.name(), "cannot renew its lease");
    }
  }

  /** Releases a lease. If the end cannot be written, closes the lease in half of the cases. */
  private void release(Lease lease) {
    try {
      if (random.nextInt(3) == 0) {
        lease.fail("Planned failure");
      } else {
        lease.complete();
      }
    } catch (StoreException away) {
      trace.note(host.name(), "cannot release its lease");
      if (random.nextBoolean()) {
        lease.close();
      }
    }
  }

  private void sleep(long nanos) {
    timeline.running().sleepUntil(timeline.now() + nanos);
  }
}
