package dev.holdfast.testkit.lease;

import dev.holdfast.api.lease.Acquisition;
import dev.holdfast.api.lease.LeaseInfo;
import dev.holdfast.api.lease.LeaseRequest;
import dev.holdfast.api.lease.LeaseState;
import dev.holdfast.api.lease.Leases;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Leases that do as they are told. What is neither {@linkplain #setBusy busy} nor held is granted;
 * what is granted stays held until it is let go or {@linkplain #lose lost}. Time does not pass.
 *
 * <pre>{@code
 * FakeLeases leases = new FakeLeases().setBusy("invoice:42");
 * new Archiver(leases).run();
 * assertThat(leases.completed()).containsExactly("invoice:43");
 * }</pre>
 */
public final class FakeLeases implements Leases {
  private static final Instant NOW = Instant.EPOCH;
  private static final String US = "us";

  private final Set<String> busy = new TreeSet<>();
  private final Map<String, FakeLease> latest = new TreeMap<>();
  private final List<String> acquired = new ArrayList<>();
  private final List<String> completed = new ArrayList<>();
  private final Map<String, String> failed = new LinkedHashMap<>();
  private long lastToken;

  /** Let somebody else hold these keys. */
  public synchronized FakeLeases setBusy(String... keys) {
    busy.addAll(List.of(keys));
    return this;
  }

  /** Let these keys be free again. */
  public synchronized FakeLeases setFree(String... keys) {
    List.of(keys).forEach(busy::remove);
    return this;
  }

  /** Take a lease away from its holder, who is told in this thread. */
  public void lose(String key) {
    FakeLease lease;
    synchronized (this) {
      lease = latest.get(key);
    }
    if (lease == null || !lease.isHeld()) {
      throw new IllegalArgumentException(
          "Lease '%s' is not held and cannot be lost: acquire it before.".formatted(key));
    }
    lease.lose();
  }

  /** Take every lease that is held away from its holder. */
  public void loseAll() {
    List<FakeLease> leases;
    synchronized (this) {
      leases = List.copyOf(latest.values());
    }
    leases.forEach(FakeLease::lose);
  }

  /** The keys that were acquired, in order, as often as they were. */
  public synchronized List<String> acquired() {
    return List.copyOf(acquired);
  }

  /** The keys that were completed, in order; by closing, too. */
  public synchronized List<String> completed() {
    return List.copyOf(completed);
  }

  /** The keys that failed, each with the last detail that was given. */
  public synchronized Map<String, String> failed() {
    return Map.copyOf(failed);
  }

  /** The keys that are held by whoever acquired them here. */
  public synchronized List<String> held() {
    return latest.values().stream().filter(FakeLease::isHeld).map(FakeLease::key).toList();
  }

  synchronized void note(FakeLease lease, LeaseState how, String detail) {
    if (how == LeaseState.DONE) {
      completed.add(lease.key());
    } else {
      failed.put(lease.key(), detail);
    }
  }

  @Override
  public Acquisition acquire(String key, Duration ttl) {
    return acquire(LeaseRequest.of(key, ttl));
  }

  @Override
  public Acquisition acquireOnce(String key, Duration ttl) {
    return acquire(new LeaseRequest(key, ttl, true));
  }

  private synchronized Acquisition acquire(LeaseRequest request) {
    String key = request.key();
    if (busy.contains(key)) {
      return new Acquisition.Busy(key, "somebody else", LeaseState.CLAIMED, request.ttl());
    }
    FakeLease old = latest.get(key);
    if (old != null && (old.isHeld() || (request.once() && old.counts()))) {
      return new Acquisition.Busy(key, US, old.state(), request.ttl());
    }
    int attempt = old != null && old.state() == LeaseState.EXPIRED ? old.attempt() + 1 : 1;
    FakeLease lease = new FakeLease(this, request, ++lastToken, attempt);
    latest.put(key, lease);
    acquired.add(key);
    return new Acquisition.Acquired(lease);
  }

  @Override
  public synchronized boolean reopen(String key) {
    FakeLease lease = latest.get(key);
    return lease != null && lease.reopen();
  }

  /** Nothing expires here: leases are {@linkplain #lose lost} on demand. */
  @Override
  public List<LeaseInfo> reclaimExpired(int limit) {
    return List.of();
  }

  @Override
  public synchronized Optional<LeaseInfo> find(String key) {
    return Optional.ofNullable(latest.get(key)).map(FakeLeases::info);
  }

  @Override
  public synchronized List<LeaseInfo> list(
      @Nullable LeaseState state, @Nullable String after, int limit) {
    return latest.values().stream()
        .filter(lease -> state == null || lease.state() == state)
        .filter(lease -> after == null || lease.key().compareTo(after) > 0)
        .limit(limit)
        .map(FakeLeases::info)
        .toList();
  }

  private static LeaseInfo info(FakeLease lease) {
    boolean counts = lease.isHeld() || lease.counts();
    return new LeaseInfo(
        lease.key(),
        lease.state(),
        US,
        lease.fencingToken(),
        lease.attempt(),
        NOW,
        counts ? lease.ttl() : Duration.ZERO,
        lease.state() == LeaseState.CLAIMED ? null : NOW,
        lease.detail());
  }
}
