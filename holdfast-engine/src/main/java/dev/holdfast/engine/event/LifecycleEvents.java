package dev.holdfast.engine.event;

import dev.holdfast.api.event.LifecycleEvent;
import dev.holdfast.api.event.LifecycleListener;
import dev.holdfast.api.job.JobState;
import dev.holdfast.engine.meter.Meters;
import dev.holdfast.engine.role.RoleThread;
import dev.holdfast.engine.run.LogContext;
import dev.holdfast.engine.store.ClaimedJob;
import dev.holdfast.engine.store.Finish;
import dev.holdfast.engine.store.JobInHand;
import dev.holdfast.engine.time.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Where roles say what happened. Without a listener every call returns at once, and nothing is
 * allocated.
 */
public final class LifecycleEvents implements AutoCloseable {
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

  public void claimed(ClaimedJob job) {
    if (dispatcher != null) {
      dispatcher.offer(
          new LifecycleEvent.Claimed(node, job.id(), job.task(), job.queue(), job.token()));
    }
  }

  public void started(ClaimedJob job) {
    if (dispatcher != null) {
      dispatcher.offer(
          new LifecycleEvent.Started(node, job.id(), job.task(), job.queue(), job.attempt()));
    }
  }

  /** A job ended, otherwise than by failing for good. */
  public void finished(JobInHand job, JobState how) {
    if (dispatcher != null) {
      dispatcher.offer(new LifecycleEvent.Finished(node, job.id(), job.task(), job.queue(), how));
    }
  }

  public void retried(ClaimedJob job, Finish.RetryIn retry) {
    if (dispatcher != null) {
      dispatcher.offer(
          new LifecycleEvent.Retried(
              node,
              job.id(),
              job.task(),
              job.queue(),
              job.attempt(),
              retry.failure().code(),
              retry.delay()));
    }
  }

  public void deadLettered(JobInHand job, Finish.Failure failure) {
    if (dispatcher != null) {
      dispatcher.offer(
          new LifecycleEvent.DeadLettered(
              node,
              job.id(),
              job.task(),
              job.queue(),
              job.attempt(),
              failure.code(),
              failure.message()));
    }
  }

  /** A job was taken from an incarnation that is gone. */
  public void recovered(JobInHand job, UUID from) {
    if (dispatcher != null) {
      dispatcher.offer(new LifecycleEvent.Recovered(node, job.id(), job.task(), job.queue(), from));
    }
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
    if (dispatcher != null) {
      dispatcher.offer(new LifecycleEvent.NodeJoined(node, incarnation));
    }
  }

  /** An incarnation of this node is over, and what it held is no longer its own. */
  public void nodeFenced(UUID incarnation) {
    if (dispatcher != null) {
      dispatcher.offer(new LifecycleEvent.NodeFenced(node, incarnation));
    }
  }

  /** Another node is gone. */
  public void nodeDied(String died, UUID incarnation) {
    if (dispatcher != null) {
      dispatcher.offer(new LifecycleEvent.NodeDied(node, died, incarnation));
    }
  }

  /** A failure that this node reported opened the breaker of a task. */
  public void breakerOpened(String task, Duration pause) {
    if (dispatcher != null) {
      dispatcher.offer(new LifecycleEvent.BreakerOpened(node, task, pause));
    }
  }

  /** A success that this node reported closed the breaker of a task. */
  public void breakerClosed(String task) {
    if (dispatcher != null) {
      dispatcher.offer(new LifecycleEvent.BreakerClosed(node, task));
    }
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
