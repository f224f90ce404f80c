package dev.holdfast.engine.lease;

import dev.holdfast.api.lease.LeaseLoss;
import dev.holdfast.engine.role.Waker;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The leases that this process holds, by token. */
public final class HeldLeases {
  private final Map<Long, HeldLease> leases = new LinkedHashMap<>();
  private boolean closed;
  private final Waker waker;

  /**
   * @param waker called when there is another lease to renew
   */
  public HeldLeases(Waker waker) {
    this.waker = waker;
  }

  void add(HeldLease lease) {
    boolean accepted;
    synchronized (this) {
      accepted = !closed;
      if (accepted) {
        leases.put(lease.fencingToken(), lease);
      }
    }
    if (accepted) {
      attend();
    } else {
      lease.lose(LeaseLoss.CLOSED, "the leases of this process are closed, so it is not renewed");
    }
  }

  /** Wakes the Renewer and the LeaseExpiry: something is due sooner than they know. */
  void attend() {
    waker.wake();
  }

  synchronized void remove(HeldLease lease) {
    leases.remove(lease.fencingToken());
  }

  synchronized List<HeldLease> all() {
    return new ArrayList<>(leases.values());
  }

  /** Returns how many leases are held. */
  public synchronized int size() {
    return leases.size();
  }

  /**
   * Accepts no more leases, and tells the holders of the remaining ones that they have lost them.
   * The leases are not ended in the store: a holder may still be working, and has until its TTL is
   * over to stop.
   */
  public void close() {
    synchronized (this) {
      closed = true;
    }
    all().forEach(lease -> lease.lose(LeaseLoss.CLOSED, "the leases of this process were closed"));
  }
}
