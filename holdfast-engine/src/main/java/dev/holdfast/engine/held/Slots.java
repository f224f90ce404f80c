package dev.holdfast.engine.held;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * How much more a node may run: a tree of counters, in which a lane (one queue on one executor)
 * takes from its queue, its executor and the node at once.
 *
 * <p>Reserving is rare (once a claim) and takes a lock; releasing is per job and only adds.
 */
public final class Slots {

  /** A bound and how much of it is used. */
  public static final class Pool {
    private final int capacity;
    private final AtomicInteger used = new AtomicInteger();
    private final AtomicInteger lost = new AtomicInteger();

    public Pool(int capacity) {
      this.capacity = capacity;
    }

    int free() {
      return capacity - used.get();
    }
  }

  private final Object reserving;
  private final List<Pool> pools;
  private final int capacity;

  /** Slots that count against all of these pools. Lanes of one node share the lock. */
  public Slots(Object reserving, List<Pool> pools) {
    this.reserving = reserving;
    this.pools = List.copyOf(pools);
    this.capacity = pools.stream().mapToInt(pool -> pool.capacity).min().orElse(0);
  }

  /** How many this lane could use if nothing ran. */
  public int capacity() {
    return capacity;
  }

  /** How many of its slots cannot be had because attempts that hang occupy them. */
  public int lost() {
    int usable = capacity;
    for (Pool pool : pools) {
      usable = Math.min(usable, pool.capacity - pool.lost.get());
    }
    return capacity - Math.max(0, usable);
  }

  /** Notes that an attempt that hangs occupies one. */
  public void lose() {
    pools.forEach(pool -> pool.lost.incrementAndGet());
  }

  /** Notes that an attempt that hung has ended. */
  public void find() {
    pools.forEach(pool -> pool.lost.decrementAndGet());
  }

  public int free() {
    int least = Integer.MAX_VALUE;
    for (Pool pool : pools) {
      least = Math.min(least, pool.free());
    }
    return Math.max(0, least);
  }

  /** Reserve up to so many and say how many. */
  public int reserve(int wanted) {
    synchronized (reserving) {
      int granted = Math.min(wanted, free());
      for (Pool pool : pools) {
        pool.used.addAndGet(granted);
      }
      return granted;
    }
  }

  public void release(int count) {
    if (count > 0) {
      for (Pool pool : pools) {
        pool.used.addAndGet(-count);
      }
    }
  }
}
