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
 * Observes leases from outside: what the store grants and what each holder believes.
 *
 * <p>The store measures a lease on the clock of the database, and the holder on the monotonic clock
 * of its machine. The beliefs of a holder are not checked after one of these clocks has jumped:
 * docs/leases.md says what is not guaranteed then.
 */
final class LeaseChecker {
  private final InvariantChecker checker;
  private final LeaseStore store;
  private final FaultModel faultModel;
  private final Map<String, Grant> latest = new HashMap<>();
  private final Map<String, Long> effects = new HashMap<>();
  private final List<Belief> beliefs = new ArrayList<>();

  private record Grant(UUID acquisition, long token) {}

  /** A lease whose holder believes that it holds it, and how often clocks had jumped before. */
  private record Belief(Host host, Lease lease, IntSupplier jumps, int before) {
    boolean counts() {
      return !host.isCrashed() && jumps.getAsInt() == before && lease.isHeld();
    }

    @Override
    public String toString() {
      return "%s under token %d".formatted(host.name(), lease.fencingToken());
    }
  }

  LeaseChecker(InvariantChecker checker, LeaseStore store, FaultModel faultModel) {
    this.checker = checker;
    this.store = store;
    this.faultModel = faultModel;
  }

  /** Returns how often the clocks that this host and the database use for leases have jumped. */
  int jumps(Host host) {
    return faultModel.databaseClockChanges() + host.suspensions();
  }

  /** Records that the store has granted a lease. */
  void granted(String key, UUID acquisition, long token) {
    Grant grant = new Grant(acquisition, token);
    Grant before = latest.put(key, grant);
    if (before != null && token <= before.token && !grant.equals(before)) {
      checker.violated(
          Invariant.LEASE_TOKENS_GROW,
          "Lease %s was granted under token %d, after token %d"
              .formatted(key, token, before.token));
    }
  }

  /**
   * Records that a holder has received the grant of a lease.
   *
   * @param before how often clocks had jumped before the holder requested it
   */
  void believes(Host host, Lease lease, int before) {
    beliefs.add(new Belief(host, lease, () -> jumps(host), before));
  }

  /** Records an effect under the token of a lease. */
  void effect(String key, long token) {
    long last = effects.merge(key, token, Math::max);
    if (token < last) {
      checker.violated(
          Invariant.LEASES_EXCLUDE,
          "Lease %s: an effect of token %d after one of token %d".formatted(key, token, last));
    }
  }

  /** Checks the beliefs of all holders. Must be called after every event. */
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
        checker.violated(
            Invariant.LEASES_EXCLUDE,
            "Lease %s is held by %s and by %s".formatted(key, other, belief));
      }
      if (store
          .find(key)
          .filter(info -> info.isHeld() && info.fencingToken() == belief.lease.fencingToken())
          .isEmpty()) {
        checker.violated(
            Invariant.HELD_LEASES_HAVE_TIME_LEFT,
            "Lease %s is held by %s, and the store has %s".formatted(key, belief, store.find(key)));
      }
    }
  }
}
