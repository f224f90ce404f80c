package dev.holdfast.engine.event;

import dev.holdfast.api.event.LifecycleEvent;
import dev.holdfast.api.event.LifecycleListener;
import dev.holdfast.api.job.JobState;
import dev.holdfast.engine.held.LogContext;
import dev.holdfast.engine.meter.Meters;
import dev.holdfast.engine.role.RoleThread;
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
 * Where roles say what happened. Without a listener every call returns at once; with one it never
 * waits nor throws.
 */
public final class LifecycleEvents implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(LifecycleEvents.class);

  /** About a second of a busy node. */
  public static final int CAPACITY = 10_000;

  private static final Duration FAREWELL = Duration.ofSeconds(1);

  private final String node;
  private final @Nullable Dispatcher dispatcher;
  private final @Nullable RoleThread thread;

  /**
   * Prepare to tell listeners.
   *
   * @param node in whose name
   * @param listeners whom to tell; none for silence
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
      Dispatcher own = new Dispatcher(listeners, capacity, meters, ticker);
      this.dispatcher = own;
      this.thread =
          new RoleThread(
              own,
              ticker,
              loop ->
                  Thread.ofPlatform()
                      .daemon()
                      .name("holdfast-dispatcher")
                      .unstarted(() -> {
                        node.enter();
                        loop.run();
                      }));
      own.wokenBy(thread);
    }
  }

  /** Begin to tell. */
  public void start() {
    if (thread != null) {
      thread.start();
    }
  }

  /** An event that cannot be told costs a log line: those who tell hold jobs. */
  private void tell(Supplier<LifecycleEvent> event) {
    if (dispatcher == null) {
      return;
    }
    try {
      dispatcher.offer(event.get());
    } catch (RuntimeException | Error broken) {
      log.warn("A lifecycle event could not be passed to listeners; jobs are not affected", broken);
    }
  }

  public void claimed(ClaimedJob job) {
    tell(() -> new LifecycleEvent.Claimed(node, job.id(), job.task(), job.queue(), job.token()));
  }

  public void started(ClaimedJob job) {
    tell(() -> new LifecycleEvent.Started(node, job.id(), job.task(), job.queue(), job.attempt()));
  }

  /** A job ended, otherwise than by failing for good. */
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

  /** A job was taken from an incarnation that is gone. */
  public void recovered(JobRef job, UUID from) {
    tell(() -> new LifecycleEvent.Recovered(node, job.id(), job.task(), job.queue(), from));
  }

  /** The handler of an attempt ignores its interrupt. */
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

  /** An incarnation of this node is over, and what it held is no longer its own. */
  public void nodeFenced(UUID incarnation) {
    tell(() -> new LifecycleEvent.NodeFenced(node, incarnation));
  }

  /** Another node is gone. */
  public void nodeDied(String died, UUID incarnation) {
    tell(() -> new LifecycleEvent.NodeDied(node, died, incarnation));
  }

  /** A failure that this node reported opened the breaker of a task. */
  public void breakerOpened(String task, Duration pause) {
    tell(() -> new LifecycleEvent.BreakerOpened(node, task, pause));
  }

  /** A success that this node reported closed the breaker of a task. */
  public void breakerClosed(String task) {
    tell(() -> new LifecycleEvent.BreakerClosed(node, task));
  }

  /** Tell what is left to tell, but wait for no listener longer than a second. */
  @Override
  public void close() {
    if (dispatcher == null || thread == null) {
      return;
    }
    long deadline = System.nanoTime() + FAREWELL.toNanos();
    while (!dispatcher.isIdle() && System.nanoTime() < deadline) {
      LockSupport.parkNanos(this, Duration.ofMillis(1).toNanos());
    }
    thread.stop();
  }
}
