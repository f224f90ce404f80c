package dev.holdfast.engine.run;

import dev.holdfast.engine.event.LifecycleEvents;
import dev.holdfast.engine.held.HeldJob;
import dev.holdfast.engine.held.Lane;
import dev.holdfast.engine.meter.Meters;
import dev.holdfast.engine.store.NodeStore;
import dev.holdfast.engine.store.NodeStore.LostLane;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The slots of attempts that do not respond to interruption. Such a slot is lost until the thread
 * ends, unless it is replaced: on an executor with a thread per job, another job can run beside a
 * hung thread.
 */
public final class LostSlots {
  private static final Logger log = LoggerFactory.getLogger(LostSlots.class);

  private final int mostReplaced;
  private final Meters meters;
  private final LifecycleEvents events;
  private final Map<HeldJob, Boolean> replacedByAttempt = new HashMap<>();
  private int replaced;
  private volatile boolean closed;

  /**
   * Counts attempts that are in {@link #replacedByAttempt} or about to be. Every attempt that ends
   * reads it, so that almost none has to take the lock.
   */
  private final AtomicInteger hung = new AtomicInteger();

  private volatile List<Lane> lanes = List.of();

  /**
   * Creates the registry of lost slots of a node.
   *
   * @param mostReplaced how many slots may be replaced at a time
   */
  public LostSlots(int mostReplaced, Meters meters, LifecycleEvents events) {
    this.mostReplaced = mostReplaced;
    this.meters = meters;
    this.events = events;
  }

  /** Sets the lanes of the node. */
  public void of(List<Lane> all) {
    this.lanes = List.copyOf(all);
  }

  /** Records that the thread of an attempt still runs long after it should have ended. */
  void lose(HeldJob heldJob) {
    Lane lane = heldJob.lane();
    if (lane == null) {
      return;
    }
    boolean replaces;
    synchronized (this) {
      hung.incrementAndGet(); // Before checking the thread: see release.
      if (!heldJob.isRunning() || replacedByAttempt.containsKey(heldJob)) {
        hung.decrementAndGet();
        return;
      }
      replaces = replaced < mostReplaced && lane.executor().hasThreadPerJob();
      replacedByAttempt.put(heldJob, replaces);
      if (replaces) {
        replaced++;
      } else {
        lane.slots().lose();
      }
    }
    if (replaces) {
      lane.release();
    }
    log.error(
        "Job {} of {} does not respond to interruption; its slot of queue {} is {} until its thread"
            + " ends",
        heldJob.job().id(),
        heldJob.job().task(),
        lane.queue(),
        replaces ? "replaced by another" : "lost");
    tell(() -> {
      measure(lane, replaces, 1);
      events.slotLost(heldJob.job(), replaces);
    });
  }

  /**
   * Releases the slot of an attempt whose thread is about to end. The thread has recorded that its
   * handler returned before this reads the counter: if that was too late for {@link #lose}, the
   * counter includes this attempt.
   */
  void release(Lane lane, HeldJob heldJob) {
    Boolean replaces = hung.get() == 0 ? null : found(lane, heldJob);
    if (replaces == null || !replaces) {
      lane.release();
    }
    if (replaces != null) {
      log.warn(
          "The slot of queue {} that hung job {} occupied is free again",
          lane.queue(),
          heldJob.job().id());
      tell(() -> measure(lane, replaces, -1));
    }
  }

  /** Clears the gauges: a node that was stopped has no slots to lose. */
  public synchronized void close() {
    replacedByAttempt.forEach((heldJob, replaces) -> {
      Lane lane = heldJob.lane();
      if (lane != null) {
        measure(lane, replaces, -1);
      }
    });
    closed = true;
  }

  private synchronized void measure(Lane lane, boolean replaces, int by) {
    if (!closed) {
      meters.hung(lane.queue(), replaces, by);
    }
  }

  private synchronized @Nullable Boolean found(Lane lane, HeldJob heldJob) {
    Boolean replaces = replacedByAttempt.remove(heldJob);
    if (replaces != null) {
      hung.decrementAndGet();
      if (replaces) {
        replaced--;
      } else {
        lane.slots().find();
      }
    }
    return replaces;
  }

  /** An exception thrown by a meter or a listener must not cost the node a slot. */
  private static void tell(Runnable news) {
    try {
      news.run();
    } catch (RuntimeException | Error broken) {
      log.warn(
          "A lost or freed slot could not be reported to metrics and listeners; the node continues",
          broken);
    }
  }

  /** Returns whether any attempt hangs. */
  boolean any() {
    return hung.get() > 0;
  }

  /** Returns how many slots are lost and not replaced. */
  public int count() {
    if (hung.get() == 0) {
      return 0;
    }
    synchronized (this) {
      return replacedByAttempt.size() - replaced;
    }
  }

  /** Returns the lost slots as a heartbeat reports them. */
  public NodeStore.Lost report() {
    int slots = count();
    if (slots == 0) {
      return NodeStore.Lost.NONE;
    }
    return new NodeStore.Lost(
        slots,
        lanes.stream()
            .filter(lane -> lane.slots().lost() > 0)
            .map(lane ->
                new LostLane(
                    lane.queue(), lane.slots().lost(), lane.slots().capacity(), lane.tasks()))
            .toList());
  }
}
