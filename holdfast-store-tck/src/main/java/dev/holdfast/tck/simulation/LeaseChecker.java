package dev.holdfast.tck.simulation;

import dev.holdfast.api.lease.Lease;
import dev.holdfast.engine.store.LeaseStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.IntSupplier;

/**
 * Observes leases from outside: what the store grants, and what each holder believes.
 *
 * <p>A lease counts its time on the clock of the database, and its holder on the monotonic clock of
 * a machine that is awake. What a holder believes is not checked after one of these clocks has
 * jumped: docs/leases.md says what is not promised then.
 */
final class LeaseChecker {
  private final InvariantChecker ledger;
  private final LeaseStore store;
  private final FaultModel weather;
  private final Map<String, Grant> latest = new HashMap<>();
  private final Map<String, Long> effects = new HashMap<>();
  private final List<Belief> beliefs = new ArrayList<>();

  private record Grant(UUID acquisition, long token) {}

  /** A lease that its holder believes to hold, and how often clocks had jumped before. */
  private record Belief(Host host, Lease lease, IntSupplier jumps, int before) {
    boolean counts() {
      return !host.isCrashed() && jumps.getAsInt() == before && lease.isHeld();
    }

    @Override
    public String toString() {
      return "%s under token %d".formatted(host.name(), lease.fencingToken());
    }
  }

  LeaseChecker(InvariantChecker ledger, LeaseStore store, FaultModel weather) {
    this.ledger = ledger;
    this.store = store;
    this.weather = weather;
  }

  /** How often a clock has jumped by which this host or the database counts the time of leases. */
  int jumps(Host host) {
    return weather.databaseClockChanges() + host.suspensions();
  }

  /** The store has granted a lease. */
  void granted(String key, UUID acquisition, long token) {
    Grant grant = new Grant(acquisition, token);
    Grant before = latest.put(key, grant);
    if (before != null && token <= before.token && !grant.equals(before)) {
      ledger.violated(
          Invariant.LEASE_TOKENS_GROW,
          "Lease %s was granted under token %d, after token %d"
              .formatted(key, token, before.token));
    }
  }

  /**
   * A holder has been told that a lease is granted.
   *
   * @param before how often clocks had jumped before the holder asked for it
   */
  void believes(Host host, Lease lease, int before) {
    beliefs.add(new Belief(host, lease, () -> jumps(host), before));
  }

  /** The holder of a lease did something in its name. */
  void effect(String key, long token) {
    long last = effects.merge(key, token, Math::max);
    if (token < last) {
      ledger.violated(
          Invariant.LEASES_EXCLUDE,
          "Lease %s: an effect of token %d after one of token %d".formatted(key, token, last));
    }
  }

  /** Look at what every holder believes. To be called after every event. */
  void check() {
    if (beliefs.isEmpty()) {
      return;
    }
    beliefs.removeIf(belief -> !belief.counts());
    Map<String, Belief> holders = new HashMap<>();
    for (Belief belief : beliefs) {
      String key = belief.lease.key();
      Belief other = holders.put(key, belief);
      if (other != null) {
        ledger.violated(
            Invariant.LEASES_EXCLUDE,
            "Lease %s is held by %s and by %s".formatted(key, other, belief));
      }
      if (store
          .find(key)
          .filter(info -> info.isHeld() && info.fencingToken() == belief.lease.fencingToken())
          .isEmpty()) {
        ledger.violated(
            Invariant.HELD_LEASES_HAVE_TIME_LEFT,
            "Lease %s is held by %s, and the store has %s".formatted(key, belief, store.find(key)));
      }
    }
  }
}
