package dev.holdfast.engine.event;

import dev.holdfast.api.event.LifecycleEvent;
import dev.holdfast.api.event.LifecycleListener;
import dev.holdfast.api.job.JobState;
import dev.holdfast.api.lease.Lease;
import dev.holdfast.api.lease.LeaseLoss;
import dev.holdfast.api.lease.LeaseState;
import dev.holdfast.engine.held.LogContext;
import dev.holdfast.engine.lease.LeaseEvents;
import dev.holdfast.engine.meter.Meters;
import dev.holdfast.engine.role.Driver;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.JobRef;
import dev.holdfast.engine.time.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports lifecycle events to listeners. Without a listener every call returns at once; with
 * listeners it never blocks or throws.
 */
public final class LifecycleEvents implements LeaseEvents, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(LifecycleEvents.class);

  /** About a second's worth of events of a busy node. */
  public static final int CAPACITY = 10_000;

  private static final Duration FLUSH_ON_CLOSE = Duration.ofSeconds(1);

  private final String node;
  private final @Nullable Dispatcher dispatcher;
  private final Driver.@Nullable Driven<Dispatcher> thread;

  /**
   * Creates the events of a node.
   *
   * @param node the node that the events name
   * @param listeners the listeners; if there are none, no event is created
   * @param capacity how many events may wait for listeners before further ones are dropped
   */
  public LifecycleEvents(
      LogContext node,
      List<LifecycleListener> listeners,
      int capacity,
      Meters meters,
      Ticker ticker) {
    this.node = node.node();
    if (listeners.isEmpty()) {
      this.dispatcher = null;
      this.thread = null;
    } else {
      // On a thread of the machine in any environment: listeners are user code and may block.
      Driver.Driven<Dispatcher> own =
          Driver.threads(ticker)
              .drive(
                  waker -> new Dispatcher(listeners, capacity, meters, ticker, waker), node::enter);
      this.thread = own;
      this.dispatcher = own.role();
    }
  }

  /** Starts to deliver events. */
  public void start() {
    if (thread != null) {
      thread.start();
    }
  }

  /** An event that cannot be delivered costs a log line only: callers hold jobs. */
  private void tell(Supplier<LifecycleEvent> event) {
    if (dispatcher == null) {
      return;
    }
    try {
      dispatcher.offer(event.get());
    } catch (RuntimeException | Error broken) {
      log.warn(
          "A lifecycle event could not be passed to listeners; jobs and leases are not affected",
          broken);
    }
  }

  public void claimed(ClaimedJob job) {
    tell(() -> new LifecycleEvent.Claimed(node, job.id(), job.task(), job.queue(), job.token()));
  }

  public void started(ClaimedJob job) {
    tell(() -> new LifecycleEvent.Started(node, job.id(), job.task(), job.queue(), job.attempt()));
  }

  /** Reports that a job ended, other than by dead-lettering. */
  public void finished(JobRef job, JobState how) {
    tell(() -> new LifecycleEvent.Finished(node, job.id(), job.task(), job.queue(), how));
  }

  public void retried(ClaimedJob job, Finish.RetryIn retry) {
    tell(() ->
        new LifecycleEvent.Retried(
            node,
            job.id(),
            job.task(),
            job.queue(),
            job.attempt(),
            retry.failure().code(),
            retry.delay()));
  }

  public void deadLettered(JobRef job, Finish.Failure failure) {
    tell(() ->
        new LifecycleEvent.DeadLettered(
            node,
            job.id(),
            job.task(),
            job.queue(),
            job.attempt(),
            failure.code(),
            failure.message()));
  }

  /** Reports that a job was recovered from an incarnation that is gone. */
  public void recovered(JobRef job, UUID from) {
    tell(() -> new LifecycleEvent.Recovered(node, job.id(), job.task(), job.queue(), from));
  }

  /** Reports that the handler of an attempt does not respond to interruption. */
  public void slotLost(ClaimedJob job, boolean replaced) {
    if (dispatcher != null) {
      dispatcher.offer(
          new LifecycleEvent.SlotLost(
              node, job.id(), job.task(), job.queue(), job.attempt(), replaced));
    }
  }

  public void nodeJoined(UUID incarnation) {
    tell(() -> new LifecycleEvent.NodeJoined(node, incarnation));
  }

  /** Reports that an incarnation of this node is over, and that it no longer holds its jobs. */
  public void nodeFenced(UUID incarnation) {
    tell(() -> new LifecycleEvent.NodeFenced(node, incarnation));
  }

  /** Reports that another node is dead. */
  public void nodeDied(String died, UUID incarnation) {
    tell(() -> new LifecycleEvent.NodeDied(node, died, incarnation));
  }

  /** Reports that a failure on this node opened the breaker of a task. */
  public void breakerOpened(String task, Duration pause) {
    tell(() -> new LifecycleEvent.BreakerOpened(node, task, pause));
  }

  /** Reports that a success on this node closed the breaker of a task. */
  public void breakerClosed(String task) {
    tell(() -> new LifecycleEvent.BreakerClosed(node, task));
  }

  @Override
  public void leaseAcquired(Lease lease) {
    tell(() ->
        new LifecycleEvent.LeaseAcquired(node, lease.key(), lease.fencingToken(), lease.attempt()));
  }

  @Override
  public void leaseReleased(Lease lease, LeaseState how) {
    tell(() -> new LifecycleEvent.LeaseReleased(node, lease.key(), lease.fencingToken(), how));
  }

  @Override
  public void leaseLost(Lease lease, LeaseLoss why) {
    tell(() -> new LifecycleEvent.LeaseLost(node, lease.key(), lease.fencingToken(), why));
  }

  /** Delivers the remaining events, but waits for listeners no longer than a second. */
  @Override
  public void close() {
    if (dispatcher == null || thread == null) {
      return;
    }
    long deadline = System.nanoTime() + FLUSH_ON_CLOSE.toNanos();
    while (!dispatcher.isIdle() && System.nanoTime() < deadline) {
      LockSupport.parkNanos(this, Duration.ofMillis(1).toNanos());
    }
    thread.stop();
  }
}
