package dev.holdfast.testkit.lease;

import dev.holdfast.api.lease.Lease;
import dev.holdfast.api.lease.LeaseRequest;
import dev.holdfast.api.lease.LeaseState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A lease that is held until the test or the code under test ends it. A lost one is EXPIRED. */
final class FakeLease implements Lease {
  private final FakeLeases from;
  private final String key;
  private final long token;
  private final int attempt;
  private final List<Runnable> callbacks = new ArrayList<>();
  private Duration ttl;
  private LeaseState state = LeaseState.CLAIMED;
  private boolean reopened;
  private @Nullable String detail;

  FakeLease(FakeLeases from, LeaseRequest request, long token, int attempt) {
    this.from = from;
    this.key = request.key();
    this.ttl = request.ttl();
    this.token = token;
    this.attempt = attempt;
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
    return attempt;
  }

  synchronized Duration ttl() {
    return ttl;
  }

  synchronized LeaseState state() {
    return state;
  }

  synchronized @Nullable String detail() {
    return detail;
  }

  @Override
  public boolean isHeld() {
    return state() == LeaseState.CLAIMED;
  }

  @Override
  public boolean renew() {
    return isHeld();
  }

  @Override
  public synchronized boolean renew(Duration changed) {
    LeaseRequest.checkTtl("lease '%s'".formatted(key), changed);
    if (state != LeaseState.CLAIMED) {
      return false;
    }
    ttl = changed;
    return true;
  }

  @Override
  public boolean complete() {
    return end(LeaseState.DONE, "");
  }

  @Override
  public boolean fail(String why) {
    return end(LeaseState.FAILED, why);
  }

  private boolean end(LeaseState how, String why) {
    synchronized (this) {
      if (state != LeaseState.CLAIMED) {
        return false;
      }
      state = how;
      detail = how == LeaseState.FAILED ? why : null;
    }
    from.note(this, how, why);
    return true;
  }

  @Override
  public void onLost(Runnable callback) {
    synchronized (this) {
      if (state == LeaseState.CLAIMED) {
        callbacks.add(callback);
      }
      if (state != LeaseState.EXPIRED) {
        return;
      }
    }
    callback.run();
  }

  void lose() {
    List<Runnable> notified;
    synchronized (this) {
      if (state != LeaseState.CLAIMED) {
        return;
      }
      state = LeaseState.EXPIRED;
      notified = List.copyOf(callbacks);
    }
    notified.forEach(Runnable::run);
  }

  /** Returns whether it is completed and keeps {@code acquireOnce} from acquiring it. */
  synchronized boolean counts() {
    return state == LeaseState.DONE && !reopened;
  }

  synchronized boolean reopen() {
    boolean counted = counts();
    reopened = reopened || counted;
    return counted;
  }

  @Override
  public void close() {
    complete();
  }
}
