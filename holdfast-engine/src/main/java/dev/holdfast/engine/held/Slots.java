package dev.holdfast.engine.held;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many more jobs a node may run: a tree of counters, in which a lane (one queue on one
 * executor) takes from its queue, its executor and the node at the same time.
 *
 * <p>Reserving is rare (once per claim) and takes a lock; releasing happens for each job and only
 * adds.
 */
public final class Slots {

  /** A limit, and how much of it is used. */
  public static class Pool {
    private final int capacity;
    private final AtomicInteger used = new AtomicInteger();
    private final AtomicInteger lost = new AtomicInteger();
    private final AtomicInteger seekers = new AtomicInteger();

    public Pool(int capacity) {
      this.capacity = capacity;
    }

    int free() {
      return capacity - used.get();
    }

    /** Returns how many slots are in use. */
    public final int used() {
      return used.get();
    }

    /** Returns how many slots one request can get at most while nothing else runs. */
    int turn() {
      return capacity;
    }

    /** Notes that a lane asks for slots. */
    void asked() {}

    /** Notes that a lane has got slots. */
    void granted(int slots) {}

    /** Changes how many slots are in use. */
    void use(int more) {
      used.addAndGet(more);
    }
  }

  private final Object reserving;
  private final List<Pool> pools;
  private final int capacity;

  /** Creates slots that count against all of these pools. The lanes of a node share the lock. */
  public Slots(Object reserving, List<Pool> pools) {
    this.reserving = reserving;
    this.pools = List.copyOf(pools);
    this.capacity = pools.stream().mapToInt(pool -> pool.capacity).min().orElse(0);
  }

  /** Returns how many slots this lane has when nothing runs. */
  public int capacity() {
    return capacity;
  }

  /** Returns how many slots one request can get at most at present, however many are free. */
  public int turn() {
    int least = capacity;
    for (Pool pool : pools) {
      least = Math.min(least, pool.turn());
    }
    return least;
  }

  /** Returns how many of its slots are unavailable because hung attempts occupy them. */
  public int lost() {
    int usable = capacity;
    for (Pool pool : pools) {
      usable = Math.min(usable, pool.capacity - pool.lost.get());
    }
    return capacity - Math.max(0, usable);
  }

  /** Notes that a hung attempt occupies a slot. */
  public void lose() {
    pools.forEach(pool -> pool.lost.incrementAndGet());
  }

  /** Notes that a hung attempt has ended. */
  public void find() {
    pools.forEach(pool -> pool.lost.decrementAndGet());
  }

  /** Notes that a lane waits for slots, or no longer does. */
  void seek(boolean waits) {
    pools.forEach(pool -> pool.seekers.addAndGet(waits ? 1 : -1));
  }

  /** Returns whether more lanes than this number wait for a pool that has no free slot. */
  boolean isSoughtBeyond(int lanes) {
    for (Pool pool : pools) {
      if (pool.free() <= 0 && pool.seekers.get() > lanes) {
        return true;
      }
    }
    return false;
  }

  public int free() {
    int least = Integer.MAX_VALUE;
    for (Pool pool : pools) {
      least = Math.min(least, pool.free());
    }
    return Math.max(0, least);
  }

  /** Reserves up to the given number of slots, and returns how many. */
  public int reserve(int wanted) {
    synchronized (reserving) {
      pools.forEach(Pool::asked);
      int granted = Math.min(wanted, free());
      for (Pool pool : pools) {
        pool.use(granted);
        pool.granted(granted);
      }
      return granted;
    }
  }

  public void release(int count) {
    if (count > 0) {
      for (Pool pool : pools) {
        pool.use(-count);
      }
    }
  }
}
