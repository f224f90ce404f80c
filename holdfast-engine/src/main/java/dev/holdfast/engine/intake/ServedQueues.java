package dev.holdfast.engine.intake;

import dev.holdfast.engine.store.QueueStore;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Catches misspelt queues: a job for a queue that no node serves would wait forever. Results are
 * kept for a minute, so that an enqueue costs no lookup, and one thread at a time renews a result
 * while the others use the old one.
 */
public final class ServedQueues {
  private static final Logger log = LoggerFactory.getLogger(ServedQueues.class);
  private static final long FRESH_NANOS = Duration.ofMinutes(1).toNanos();
  private static final int MOST_NAMES = 1_000;

  private record Cached(boolean declared, long at, AtomicBoolean renewing) {}

  private final QueueStore queues;
  private final ClientSettings settings;
  private final LongSupplier nanoTime;
  private final Map<String, Cached> lookups = new ConcurrentHashMap<>();

  public ServedQueues(QueueStore queues, ClientSettings settings) {
    this(queues, settings, System::nanoTime);
  }

  ServedQueues(QueueStore queues, ClientSettings settings, LongSupplier nanoTime) {
    this.queues = queues;
    this.settings = settings;
    this.nanoTime = nanoTime;
  }

  /** Returns a check that warns about queues that no node serves, and rejects none. */
  public static ServedQueues lenient(QueueStore queues) {
    return new ServedQueues(queues, ClientSettings.DEFAULT);
  }

  public void check(String queue) {
    check(queue, queues::isDeclared);
  }

  /**
   * Checks a queue for a caller that may be in a transaction.
   *
   * @param lookup queries over the connection of that transaction. Taking a second one from the
   *     same pool would deadlock the pool when all of its connections are in such transactions
   */
  void check(String queue, Predicate<String> lookup) {
    Cached cached = lookups.get(queue);
    if (cached == null || mustRenew(cached)) {
      cached = look(queue, lookup, cached);
    }
    if (!cached.declared() && settings.strictQueues()) {
      lookups.remove(queue); // A node that serves it may start at any moment.
      throw new IllegalArgumentException(
          "No live node serves queue '%s': check the name, or start a node that serves it."
              .formatted(queue));
    }
  }

  private boolean mustRenew(Cached cached) {
    return nanoTime.getAsLong() - cached.at() > FRESH_NANOS
        && cached.renewing().compareAndSet(false, true);
  }

  private Cached look(String queue, Predicate<String> lookup, @Nullable Cached before) {
    Cached cached;
    try {
      cached = new Cached(lookup.test(queue), nanoTime.getAsLong(), new AtomicBoolean());
    } catch (RuntimeException failure) {
      if (before != null) {
        before.renewing().set(false);
      }
      throw failure;
    }
    if (lookups.size() >= MOST_NAMES) {
      lookups.clear();
    }
    lookups.put(queue, cached);
    if (!cached.declared() && !settings.strictQueues()) {
      log.warn("No live node serves queue '{}' yet; its jobs wait until one does", queue);
    }
    return cached;
  }
}
