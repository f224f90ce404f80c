package dev.holdfast.engine.held;

import dev.holdfast.engine.time.Ticker;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The slots of a process that several tenants share.
 *
 * <p>Each claim of a tenant gets at most the free slots divided by the number of tenants that
 * compete, times its weight, so tenants take turns. As long as all jobs of a turn end quickly, the
 * next turn of that tenant is larger: its slots are free again in a moment, and many small claims
 * cost much more than a few large ones. Turns do not help while long jobs of one tenant occupy all
 * slots. So a tenant that uses its share or more (the slots, divided by weight among the tenants
 * that compete) does not get the last tenth of the slots. A tenant that competes with none counts
 * as one of two, because long jobs would otherwise keep out the next tenant. Only where there is no
 * other tenant at all does one get all slots.
 */
public final class FairSlots {
  private static final int RESERVED_PART = 10;

  /** The largest part of the free slots that one claim gets, before its weight. */
  private static final int LARGEST_VISIT = 100;

  /** If all jobs of a turn have ended after this time, the next turn may be larger. */
  private static final Duration QUICK = Duration.ofMillis(100);

  /** How long a tenant competes after a request for slots that was not granted. */
  private static final Duration COMPETES = Duration.ofSeconds(2);

  private final int capacity;
  private final int reserve;
  private final Ticker ticker;
  private final BooleanSupplier shared;
  private final AtomicInteger used = new AtomicInteger();
  private final Set<Share> shares = ConcurrentHashMap.newKeySet();

  /**
   * @param shared whether there is more than one tenant, with or without work
   */
  public FairSlots(int capacity, Ticker ticker, BooleanSupplier shared) {
    this.shared = shared;
    this.capacity = capacity;
    this.reserve = capacity == 1 ? 0 : Math.max(1, capacity / RESERVED_PART);
    this.ticker = ticker;
  }

  /** Returns how many slots there are. */
  public int capacity() {
    return capacity;
  }

  /** Returns how many slots are in use. */
  public int used() {
    return used.get();
  }

  /**
   * Adds a tenant.
   *
   * @param weight how much more it gets than a tenant with weight 1
   * @param most how many slots it may use; null for all
   */
  public Share share(int weight, @Nullable Integer most) {
    Share share = new Share(weight, most);
    shares.add(share);
    return share;
  }

  /** The slots of one tenant. */
  public final class Share extends Slots.Pool {
    private volatile int weight;
    private volatile int most;
    private volatile boolean capped;
    private volatile long askedAt;
    private volatile boolean hasAsked;
    private volatile int visit = 1;
    private int granted;
    private long grantedAt;

    private Share(int weight, @Nullable Integer most) {
      super(capacity);
      this.weight = weight;
      this.most = most == null ? capacity : most;
      this.capped = most != null;
    }

    /** Changes what the tenant gets from now on. */
    public void configure(int newWeight, @Nullable Integer newMost) {
      weight = newWeight;
      most = newMost == null ? capacity : newMost;
      capped = newMost != null;
    }

    /** Returns whether there is a limit to what the tenant may use, here and elsewhere. */
    public boolean isCapped() {
      return capped;
    }

    /** Removes the tenant. */
    public void close() {
      shares.remove(this);
    }

    /** Returns the lock under which slots are reserved. */
    public Object lock() {
      return FairSlots.this;
    }

    /** Called with the lock, before slots are reserved. */
    @Override
    void asked() {
      long now = ticker.now().nanos();
      askedAt = now;
      hasAsked = true;
      if (granted > 0) {
        if (now - grantedAt > QUICK.toNanos()) {
          visit = 1;
          granted = 0;
        } else if (used() == 0) {
          visit = Math.min(LARGEST_VISIT, Math.max(visit, granted) * 2);
          granted = 0;
        }
      }
    }

    @Override
    void use(int more) {
      super.use(more);
      FairSlots.this.used.addAndGet(more);
    }

    /** Called with the lock, when slots have been reserved. */
    @Override
    void granted(int slots) {
      if (slots > 0) {
        if (granted == 0) {
          grantedAt = askedAt;
        }
        granted += slots;
      }
    }

    private boolean competes(long now) {
      return used() > 0 || (hasAsked && now - askedAt < COMPETES.toNanos());
    }

    private int others(long now) {
      int others = 0;
      for (Share other : shares) {
        if (other != this && other.competes(now)) {
          others++;
        }
      }
      return others;
    }

    private int turn(int free, int others) {
      return (int)
          Math.min(
              capacity,
              Math.clamp(Math.max(visit, free / (others + 1)), 1, LARGEST_VISIT) * (long) weight);
    }

    @Override
    int turn() {
      int others = others(ticker.now().nanos());
      return others == 0 ? capacity : turn(capacity, others);
    }

    @Override
    int free() {
      int free = capacity - FairSlots.this.used.get();
      int own = Math.min(free, most - used());
      long now = ticker.now().nanos();
      int others = 0;
      long weights = weight;
      for (Share other : shares) {
        if (other != this && other.competes(now)) {
          others++;
          weights += other.weight;
        }
      }
      if (others == 0) {
        if (!shared.getAsBoolean()) {
          return own;
        }
        weights++; // Of the tenant that may come next.
      }
      int unused = (int) ((long) capacity * weight / weights) - used();
      int open = Math.max(Math.min(free, unused), free - reserve);
      int room = Math.min(own, open);
      return others == 0 ? room : Math.min(room, turn(free, others));
    }
  }
}
