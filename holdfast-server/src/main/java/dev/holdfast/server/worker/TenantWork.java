package dev.holdfast.server.worker;

import dev.holdfast.engine.notify.ClusterCoordinator;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.notify.SignalBus;
import dev.holdfast.engine.query.AwaitedJobs;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What calls of workers of one tenant wait for on this server, and tell others. Memory only: a call
 * that misses a signal looks again after a while.
 */
final class TenantWork implements AutoCloseable {
  private final SignalBus bus;
  private final AwaitedJobs awaited = new AwaitedJobs();
  private final List<Waiter> waiters = new CopyOnWriteArrayList<>();
  private volatile boolean closed;

  TenantWork(ClusterCoordinator signals) {
    this.bus = new SignalBus(signals);
    Runnable unused = bus.subscribe(this::hear);
  }

  SignalBus bus() {
    return bus;
  }

  /** Returns the jobs whose end clients await. */
  AwaitedJobs awaited() {
    return awaited;
  }

  boolean isClosed() {
    return closed;
  }

  /** A call that waits for work. */
  final class Waiter implements AutoCloseable {
    private final Set<String> queues;
    private final Semaphore wakeups = new Semaphore(0);

    private Waiter(Set<String> queues) {
      this.queues = queues;
    }

    /** Waits until there may be work, and returns whether that was announced. */
    boolean await(Duration atMost) {
      try {
        boolean woken = wakeups.tryAcquire(atMost.toNanos(), TimeUnit.NANOSECONDS);
        wakeups.drainPermits();
        return woken;
      } catch (InterruptedException stopping) {
        Thread.currentThread().interrupt();
        return false;
      }
    }

    void wake() {
      wakeups.release();
    }

    @Override
    public void close() {
      waiters.remove(this);
    }
  }

  /**
   * Returns what is woken when a queue has work. Created before the call looks for work, so that it
   * misses nothing that comes later.
   */
  Waiter waiter(Set<String> queues) {
    Waiter waiter = new Waiter(queues);
    waiters.add(waiter);
    return waiter;
  }

  private void hear(Signal signal) {
    switch (signal) {
      case Signal.NewWork work -> wake(work.queue(), Math.max(1, work.jobs()));
      case Signal.QueueChanged changed -> wake(changed.queue(), Integer.MAX_VALUE);
      case Signal.TaskChanged changed -> wake(null, Integer.MAX_VALUE);
      case Signal.SignalsMissed missed -> wake(null, Integer.MAX_VALUE);
      case Signal.ResultAwaited request -> awaited.add(request.job());
      case Signal.Scheduled scheduled -> {}
      case Signal.HeartbeatRequested call -> {}
      case Signal.RunsMarked marked -> {}
      case Signal.JobEnded ended -> {}
      case Signal.Watched watched -> {}
      case Signal.Changed changed -> {}
      case Signal.SchedulesChanged changed -> {}
      case Signal.NodeJoined joined -> {}
      case Signal.NodeDied died -> {}
      case Signal.InTenant other -> {}
    }
  }

  /**
   * Wakes calls, those that have waited longest first: not all of them, or most would ask in vain.
   * One that gets as much as it asked for wakes the next.
   *
   * @param queue null for any
   */
  void wake(@Nullable String queue, int most) {
    int left = most;
    for (Waiter waiter : waiters) {
      if (left == 0) {
        return;
      }
      if (queue == null || waiter.queues.contains(queue)) {
        waiter.wake();
        left--;
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    wake(null, Integer.MAX_VALUE);
    bus.close();
  }
}
