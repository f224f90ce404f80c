package dev.holdfast.engine.lease;

import dev.holdfast.engine.role.Waker;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The leases that this process holds, by token. */
public final class HeldLeases {
  private final Map<Long, HeldLease> leases = new LinkedHashMap<>();
  private boolean closed;
  private volatile Waker waker = () -> {};

  /** Who to wake when there is one more to look after. */
  public void wokenBy(Waker driver) {
    this.waker = driver;
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
      lease.lose("nobody renews it: whoever gave it was closed");
    }
  }

  /** Have those who look after leases look again: something is due sooner than they know. */
  void attend() {
    waker.wake();
  }

  synchronized void remove(HeldLease lease) {
    leases.remove(lease.fencingToken());
  }

  synchronized List<HeldLease> all() {
    return new ArrayList<>(leases.values());
  }

  /** How many there are. */
  public synchronized int size() {
    return leases.size();
  }

  /**
   * Take no more, and tell the holders of what is left that they lose it. It is not ended in the
   * books: its holder may still be at work, and has until its ttl is over to stop.
   */
  public void close() {
    synchronized (this) {
      closed = true;
    }
    all().forEach(lease -> lease.lose("whoever gave it was closed"));
  }
}
