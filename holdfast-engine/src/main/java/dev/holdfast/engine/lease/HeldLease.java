package dev.holdfast.engine.lease;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.internal.Times;
import dev.holdfast.api.lease.Lease;
import dev.holdfast.api.lease.LeaseLoss;
import dev.holdfast.api.lease.LeaseRequest;
import dev.holdfast.api.lease.LeaseState;
import dev.holdfast.engine.store.LeaseStore.Ending;
import dev.holdfast.engine.store.LeaseStore.LeaseClaim;
import dev.holdfast.engine.store.LeaseStore.Renewal;
import dev.holdfast.engine.store.LeaseStore.Result;
import dev.holdfast.engine.time.Moment;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A lease that this process holds. No database call is made under its lock, so that it can always
 * tell whether it is held.
 */
final class HeldLease implements Lease {
  private static final Logger log = LoggerFactory.getLogger(HeldLease.class);
  private static final int LONGEST_DETAIL = 4_000;

  private enum Phase {
    HELD,
    LOST,
    LET_GO
  }

  private final LeaseCalls calls;
  private final HeldLeases held;
  private final LeaseEvents events;
  private final Executor notifier;
  private final String key;
  private final Result.Granted grant;
  private final Moment acquired;
  private final LeaseTime time;
  private final List<Runnable> callbacks = new ArrayList<>();
  private Phase phase = Phase.HELD;
  private int endings;
  private @Nullable Ending intended;

  HeldLease(
      LeaseCalls calls,
      HeldLeases held,
      LeaseEvents events,
      Executor notifier,
      LeaseRequest request,
      Result.Granted grant,
      Moment sentAt) {
    this.calls = calls;
    this.held = held;
    this.events = events;
    this.notifier = notifier;
    this.key = request.key();
    this.grant = grant;
    this.acquired = sentAt;
    this.time = new LeaseTime(sentAt, request.ttl());
  }

  @Override
  public String key() {
    return key;
  }

  @Override
  public long fencingToken() {
    return grant.token();
  }

  @Override
  public int attempt() {
    return grant.attempt();
  }

  @Override
  public boolean isHeld() {
    return isHeldAt(calls.now());
  }

  // Not from the moment its end is requested: from then on the store may grant it to another
  // holder, whether or not this process learns that its end was written.
  private synchronized boolean isHeldAt(Moment now) {
    return phase == Phase.HELD && intended == null && now.isBefore(time.deadline());
  }

  @Override
  public boolean renew() {
    Moment now = calls.now();
    return isHeldAt(now) && renew(send(now));
  }

  @Override
  public boolean renew(Duration ttl) {
    Duration valid = LeaseRequest.checkTtl("lease '%s'".formatted(key), ttl);
    Moment now = calls.now();
    LeaseTime.Sent sent;
    synchronized (this) {
      if (!isHeldAt(now)) {
        return false;
      }
      sent = time.reset(now, valid);
    }
    // Its deadline and its next renewal may be sooner than before, whatever the reply.
    held.attend();
    return renew(sent);
  }

  private boolean renew(LeaseTime.Sent sent) {
    calls.renew(Map.of(this, sent));
    held.attend();
    return isHeld();
  }

  /** Returns a renewal for the current TTL, to be sent now. */
  synchronized LeaseTime.Sent send(Moment now) {
    return time.extend(now);
  }

  Renewal toRenewal(LeaseTime.Sent sent) {
    return new Renewal(new LeaseClaim(key, fencingToken()), sent.ttl(), sent.reset());
  }

  /**
   * Returns when to renew the lease; never while its end is being written, since a renewal would
   * conflict with it.
   */
  synchronized Moment renewal() {
    return phase == Phase.HELD && endings == 0 ? time.renewal() : Moment.NEVER;
  }

  synchronized Moment deadline() {
    return phase == Phase.HELD ? time.deadline() : Moment.NEVER;
  }

  /** Records that a renewal succeeded. It has no effect if the reply arrived after the deadline. */
  void renewed(LeaseTime.Sent sent) {
    Moment now = calls.now();
    synchronized (this) {
      time.confirmed(sent, now);
    }
  }

  /** Records that a renewal failed, and whether it may be executed nevertheless. */
  synchronized void notRenewed(LeaseTime.Sent sent, boolean mayBeExecuted) {
    time.failed(sent, mayBeExecuted);
  }

  /** Records that a renewal was rejected. The lease is lost, unless this process is ending it. */
  void refused() {
    synchronized (this) {
      if (endings > 0) {
        return;
      }
    }
    lose(
        LeaseLoss.REVOKED,
        "the database no longer has it under token "
            + fencingToken()
            + ", another holder may have taken it over");
  }

  /** Loses the lease if its time is over. */
  void fence(Moment now) {
    synchronized (this) {
      if (now.isBefore(time.deadline())) {
        return;
      }
    }
    lose(
        LeaseLoss.NOT_RENEWED,
        "it could not be renewed within its TTL of " + Times.describe(ttl()));
  }

  private synchronized Duration ttl() {
    return time.ttl();
  }

  void lose(LeaseLoss reason, String why) {
    List<Runnable> told;
    synchronized (this) {
      if (phase != Phase.HELD) {
        return;
      }
      phase = Phase.LOST;
      told = List.copyOf(callbacks);
      callbacks.clear();
    }
    log.warn(
        "Lease '{}' of {} is lost: {}; isHeld() returns false from now on",
        key(),
        calls.holder(),
        why);
    calls.meters().lost();
    events.leaseLost(this, reason);
    over();
    told.forEach(this::tell);
  }

  private void over() {
    held.remove(this);
    calls.meters().held(acquired.until(calls.now()));
  }

  @Override
  public void onLost(Runnable callback) {
    synchronized (this) {
      if (phase == Phase.HELD) {
        callbacks.add(callback);
        return;
      }
      if (phase == Phase.LET_GO) {
        return;
      }
    }
    tell(callback);
  }

  private void tell(Runnable callback) {
    notifier.execute(() -> {
      try {
        callback.run();
      } catch (RuntimeException failure) {
        log.error(
            "An onLost callback of lease '{}' failed; its holder may not know that the lease is"
                + " lost",
            key(),
            failure);
      }
    });
  }

  @Override
  public boolean complete() {
    return end(new Ending.Done());
  }

  @Override
  public boolean fail(String detail) {
    return end(new Ending.Failed(storable(detail)));
  }

  private boolean end(Ending how) {
    synchronized (this) {
      if (phase == Phase.LET_GO) {
        return false;
      }
      intended = how;
      endings++;
    }
    try {
      boolean ours = calls.end(new LeaseClaim(key(), fencingToken()), how);
      if (ours) {
        if (letGo()) {
          events.leaseReleased(this, stateOf(how));
        }
      } else {
        lose(LeaseLoss.REVOKED, "another holder took it over before its end was written");
      }
      return ours;
    } finally {
      synchronized (this) {
        endings--;
      }
      // If the end could not be written, the lease has to be renewed again.
      held.attend();
    }
  }

  private static LeaseState stateOf(Ending how) {
    return switch (how) {
      case Ending.Done done -> LeaseState.DONE;
      case Ending.Failed failed -> LeaseState.FAILED;
    };
  }

  /** Returns whether it was held until now. */
  private boolean letGo() {
    boolean first;
    synchronized (this) {
      first = phase == Phase.HELD;
      phase = Phase.LET_GO;
      callbacks.clear();
    }
    if (first) {
      over();
    }
    return first;
  }

  @Override
  public void close() {
    Ending how;
    synchronized (this) {
      if (phase != Phase.HELD) {
        return;
      }
      how = intended != null ? intended : new Ending.Done();
    }
    try {
      end(how);
    } catch (StoreException notWritten) {
      log.warn(
          "The end of lease '{}' could not be written; it becomes free when its TTL of {} is over:"
              + " {}",
          key(),
          Times.describe(ttl()),
          notWritten.getMessage());
      if (letGo()) {
        events.leaseLost(this, LeaseLoss.NOT_WRITTEN);
      }
    }
  }

  /** Makes a text storable in a database: no NUL, no half of a surrogate pair, and truncated. */
  private static String storable(String detail) {
    String cut =
        detail.length() <= LONGEST_DETAIL ? detail : detail.substring(0, LONGEST_DETAIL - 1) + "…";
    byte[] whole = cut.replace('\0', ' ').getBytes(StandardCharsets.UTF_8);
    return new String(whole, StandardCharsets.UTF_8);
  }
}
