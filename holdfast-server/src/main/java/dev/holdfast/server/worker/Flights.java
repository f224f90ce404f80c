package dev.holdfast.server.worker;

import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The claim calls that this server is handling. A worker that has lost the connection repeats its
 * call while the first one still waits here: the repeat ends it, and starts when it is over, so
 * that the two do not claim twice. On two servers they may; then the next heartbeat of the worker
 * hands back what it does not know.
 */
final class Flights {
  private static final Duration TO_END = Duration.ofSeconds(10);

  private record Key(UUID worker, long call) {}

  private final Map<Key, Flight> flights = new ConcurrentHashMap<>();

  /** A claim call that is being handled. */
  final class Flight implements AutoCloseable {
    private final Key key;
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile Runnable wake = () -> {};
    private volatile boolean superseded;

    private Flight(Key key) {
      this.key = key;
    }

    void onSuperseded(Runnable action) {
      wake = action;
      if (superseded) {
        action.run();
      }
    }

    boolean isSuperseded() {
      return superseded;
    }

    private void supersede() {
      superseded = true;
      wake.run();
    }

    @Override
    public void close() {
      flights.remove(key, this);
      ended.countDown();
    }
  }

  Flight start(UUID worker, long call) {
    Flight own = new Flight(new Key(worker, call));
    Flight earlier = flights.put(own.key, own);
    if (earlier != null) {
      earlier.supersede();
      try {
        boolean unused = earlier.ended.await(TO_END.toNanos(), TimeUnit.NANOSECONDS);
      } catch (InterruptedException stopping) {
        Thread.currentThread().interrupt();
      }
    }
    return own;
  }
}
