package dev.holdfast.api.lease;

import dev.holdfast.api.Page;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** Grants every request. */
final class PassThroughLeases implements Leases {
  private final AtomicLong lastToken = new AtomicLong();

  @Override
  public Acquisition acquire(String key, Duration ttl) {
    return grant(LeaseRequest.of(key, ttl));
  }

  @Override
  public Acquisition acquireOnce(String key, Duration ttl) {
    return grant(new LeaseRequest(key, ttl, true));
  }

  private Acquisition grant(LeaseRequest request) {
    return new Acquisition.Acquired(new Granted(request.key(), lastToken.incrementAndGet()));
  }

  @Override
  public boolean reopen(String key) {
    return false;
  }

  @Override
  public List<LeaseInfo> reclaimExpired(int limit) {
    return List.of();
  }

  @Override
  public Optional<LeaseInfo> find(String key) {
    return Optional.empty();
  }

  @Override
  public List<LeaseInfo> list(Page<String> page) {
    return List.of();
  }

  @Override
  public List<LeaseInfo> list(LeaseState state, Page<String> page) {
    return List.of();
  }

  /** A lease that is never lost. */
  private static final class Granted implements Lease {
    private final String key;
    private final long token;
    private final AtomicBoolean held = new AtomicBoolean(true);

    Granted(String key, long token) {
      this.key = key;
      this.token = token;
    }

    @Override
    public String key() {
      return key;
    }

    @Override
    public long fencingToken() {
      return token;
    }

    @Override
    public int attempt() {
      return 1;
    }

    @Override
    public boolean isHeld() {
      return held.get();
    }

    @Override
    public boolean renew() {
      return held.get();
    }

    @Override
    public boolean renew(Duration ttl) {
      LeaseRequest.checkTtl("lease '%s'".formatted(key), ttl);
      return held.get();
    }

    @Override
    public boolean complete() {
      return held.getAndSet(false);
    }

    @Override
    public boolean fail(String detail) {
      return held.getAndSet(false);
    }

    @Override
    public void onLost(Runnable callback) {}

    @Override
    public void close() {
      held.set(false);
    }
  }
}
