package dev.holdfast.testkit.lease;

import dev.holdfast.api.Page;
import dev.holdfast.api.lease.Acquisition;
import dev.holdfast.api.lease.LeaseInfo;
import dev.holdfast.api.lease.LeaseRequest;
import dev.holdfast.api.lease.LeaseState;
import dev.holdfast.api.lease.Leases;
import dev.holdfast.engine.store.LeaseSnapshot;
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
import java.util.function.Predicate;

/**
 * Leases controlled by a test. A key that is neither {@linkplain #setBusy busy} nor held is
 * granted, and stays held until it is released or {@linkplain #lose lost}. Time does not pass: no
 * lease expires.
 *
 * <pre>{@code
 * FakeLeases leases = new FakeLeases().setBusy("invoice:42");
 * new Archiver(leases).run();
 * assertThat(leases.completed()).containsExactly("invoice:43");
 * }</pre>
 */
public final class FakeLeases implements Leases {
  private static final Instant NOW = Instant.EPOCH;
  private static final String THIS_PROCESS = "this process";

  private final Set<String> busy = new TreeSet<>();
  private final Map<String, FakeLease> latest = new TreeMap<>();
  private final List<String> acquired = new ArrayList<>();
  private final List<String> completed = new ArrayList<>();
  private final Map<String, String> failed = new LinkedHashMap<>();
  private long lastToken;

  /** Makes these keys busy, as if another process held them. */
  public synchronized FakeLeases setBusy(String... keys) {
    busy.addAll(List.of(keys));
    return this;
  }

  /** Makes busy keys free again. */
  public synchronized FakeLeases setFree(String... keys) {
    List.of(keys).forEach(busy::remove);
    return this;
  }

  /**
   * Makes the holder lose a lease. Its {@code onLost} callbacks are called in the calling thread.
   *
   * @throws IllegalArgumentException if the lease is not held
   */
  public void lose(String key) {
    FakeLease lease;
    synchronized (this) {
      lease = latest.get(key);
    }
    if (lease == null || !lease.isHeld()) {
      throw new IllegalArgumentException(
          "Lease '%s' is not held, so it cannot be lost: acquire it before.".formatted(key));
    }
    lease.lose();
  }

  /** Makes the holders lose all leases that are held. */
  public void loseAll() {
    List<FakeLease> leases;
    synchronized (this) {
      leases = List.copyOf(latest.values());
    }
    leases.forEach(FakeLease::lose);
  }

  /** Returns the acquired keys in order; a key that was acquired twice is listed twice. */
  public synchronized List<String> acquired() {
    return List.copyOf(acquired);
  }

  /** Returns the completed keys in order, including those completed by closing. */
  public synchronized List<String> completed() {
    return List.copyOf(completed);
  }

  /** Returns the failed keys, each with its latest detail. */
  public synchronized Map<String, String> failed() {
    return Map.copyOf(failed);
  }

  /** Returns the keys that are currently held, ordered by key. */
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
      return new Acquisition.Busy(key, "another process", LeaseState.CLAIMED, request.ttl());
    }
    FakeLease old = latest.get(key);
    if (old != null && (old.isHeld() || (request.once() && old.counts()))) {
      return new Acquisition.Busy(key, THIS_PROCESS, old.state(), request.ttl());
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

  /** Returns an empty list: leases do not expire, they are {@linkplain #lose lost} on demand. */
  @Override
  public List<LeaseInfo> reclaimExpired(int limit) {
    return List.of();
  }

  @Override
  public synchronized Optional<LeaseInfo> find(String key) {
    return Optional.ofNullable(latest.get(key)).map(FakeLeases::info);
  }

  @Override
  public List<LeaseInfo> list(Page<String> page) {
    return list(lease -> true, page);
  }

  @Override
  public List<LeaseInfo> list(LeaseState state, Page<String> page) {
    return list(lease -> lease.state() == state, page);
  }

  private synchronized List<LeaseInfo> list(Predicate<FakeLease> wanted, Page<String> page) {
    return latest.values().stream()
        .filter(wanted)
        .filter(lease -> page.after().map(after -> lease.key().compareTo(after) > 0).orElse(true))
        .limit(page.limit())
        .map(FakeLeases::info)
        .toList();
  }

  private static LeaseInfo info(FakeLease lease) {
    boolean counts = lease.isHeld() || lease.counts();
    return new LeaseSnapshot(
        lease.key(),
        lease.state(),
        THIS_PROCESS,
        lease.fencingToken(),
        lease.attempt(),
        NOW,
        counts ? lease.ttl() : Duration.ZERO,
        lease.state() == LeaseState.CLAIMED ? null : NOW,
        lease.detail());
  }
}
