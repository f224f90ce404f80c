package dev.holdfast.engine.node;

import dev.holdfast.api.StoreException;
import dev.holdfast.engine.claim.Claimer;
import dev.holdfast.engine.held.HeldJob;
import dev.holdfast.engine.held.StopReason;
import dev.holdfast.engine.held.TaskExecutor;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.role.Driver.Driven;
import dev.holdfast.engine.time.Deadline;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stops a node, once, within a single deadline: the shutdown grace plus {@link #AFTER_GRACE}. An
 * orchestrator kills the process soon after the grace, so a step that waits for an unresponsive
 * database must not use up the time of the others.
 *
 * <p>The steps run on a separate thread, and the caller waits for it until the deadline: any step
 * may call the database or user code, and none can be relied on to return.
 */
final class Shutdown {
  private static final Logger log = LoggerFactory.getLogger(Shutdown.class);
  private static final Duration TO_RESPOND = Duration.ofSeconds(3);
  private static final Duration TO_LEAVE = Duration.ofSeconds(1);

  /** Time for handlers to respond to their interrupt, and then to deregister the node. */
  static final Duration AFTER_GRACE = TO_RESPOND.plus(TO_LEAVE);

  /** The threads that drive the roles, grouped by when they must stop. */
  record Threads(
      List<Driven<?>> claiming,
      List<Driven<?>> clocks,
      List<Driven<?>> completers,
      List<Driven<?>> heart) {}

  private final NodeComponents components;
  private final WorkingRoles work;
  private final LivenessRoles life;
  private final Threads threads;
  private final Runnable subscription;
  private final AtomicBoolean asked = new AtomicBoolean();
  private final CountDownLatch stopped = new CountDownLatch(1);
  private volatile Runnable last = () -> {};
  private volatile boolean hurried;
  private volatile Deadline deadline = Deadline.in(Duration.ZERO);
  private volatile String step = "start to stop";

  /**
   * @param subscription ends the node's subscription to signals
   */
  Shutdown(
      NodeComponents components,
      WorkingRoles work,
      LivenessRoles life,
      Threads threads,
      Runnable subscription) {
    this.components = components;
    this.work = work;
    this.life = life;
    this.threads = threads;
    this.subscription = subscription;
  }

  /** Sets what to do at the very end. */
  void last(Runnable action) {
    last = action;
  }

  boolean isAsked() {
    return asked.get();
  }

  /** Returns a latch that reaches zero when the node has stopped, or its time to stop is over. */
  CountDownLatch stopped() {
    return stopped;
  }

  /** Stops the node, or waits until the stop in progress has ended. */
  void run() {
    if (!asked.compareAndSet(false, true)) {
      awaitStopped();
      return;
    }
    deadline = Deadline.in(components.settings.shutdownGrace().plus(AFTER_GRACE));
    runSteps();
    if (!await(this::hasStopped)) {
      giveUp();
    }
  }

  /** Stops the node without grace, or ends the grace of the stop in progress. */
  void runNow() {
    hurried = true;
    run();
  }

  /** Undoes a start that failed before any role ran, on the thread of the caller. */
  void undoStart() {
    if (asked.compareAndSet(false, true)) {
      hurried = true;
      deadline = Deadline.in(AFTER_GRACE);
      stopInOrder();
    }
  }

  private boolean hasStopped() {
    return stopped.getCount() == 0;
  }

  private void runSteps() {
    try {
      Thread.ofPlatform().daemon().name("holdfast-stop").start(this::stopInOrder);
    } catch (OutOfMemoryError noThread) {
      log.warn(
          "Node {} could not start a thread for its shutdown; the calling thread stops it instead",
          id(),
          noThread);
      stopInOrder();
    }
  }

  private void stopInOrder() {
    try (var speaking = components.logs.borrow()) {
      drain();
      interrupt();
      leave();
      release();
      log.info("Node {} has stopped", id());
    } finally {
      stopped.countDown();
    }
  }

  /**
   * Stops claiming, hands back what has not started, and lets running jobs continue for the grace.
   */
  private void drain() {
    Deadline grace = Deadline.in(components.settings.shutdownGrace());
    log.info(
        "Node {} is stopping: it holds {} jobs and gives running ones {} to finish",
        id(),
        held(),
        hurried ? Duration.ZERO : components.settings.shutdownGrace());
    attempt("notify running jobs", components.drain::give);
    attempt("stop claiming", () -> stopAll(threads.claiming()));
    attempt("hand back jobs that have not started", this::handBackUnstarted);
    step = "wait for claims in progress";
    grace.await(() -> hurried || haveEnded(threads.claiming()));
    attempt("hand back jobs of the last claims", this::handBackUnstarted);
    step = "wait for running jobs";
    grace.await(() -> hurried || held() == 0);
    deadline = deadline.earlier(Deadline.in(AFTER_GRACE)); // Earlier if the grace was cut short.
  }

  private void handBackUnstarted() {
    work.claimers.all().forEach(Claimer::stop);
  }

  private void interrupt() {
    if (held() > 0) {
      log.warn(
          "Node {} is stopping: {} running jobs are interrupted and handed back without using an"
              + " attempt",
          id(),
          held());
    }
    step = "wait for interrupted jobs";
    Deadline.in(TO_RESPOND)
        .await(() -> {
          attempt(step, this::interruptAll);
          return isEmpty();
        });
  }

  /** Called repeatedly, because a claim that was in progress may still bring jobs. */
  private void interruptAll() {
    handBackUnstarted();
    for (HeldJob heldJob : components.heldJobs.all()) {
      if (heldJob.stopReason() == null) {
        heldJob.stop(StopReason.HANDED_BACK);
      }
    }
  }

  /** Deregisters the node if it holds nothing any more; until then it sends heartbeats. */
  private void leave() {
    attempt(
        "stop its roles",
        () -> {
          stopAll(threads.clocks());
          stopAll(threads.completers());
        });
    Deadline.in(TO_LEAVE)
        .await(() -> haveEnded(threads.clocks()) && haveEnded(threads.completers()));
    if (!haveEnded(threads.claiming())) {
      // Other nodes may start its jobs as soon as it has left: a late reply must start none here.
      attempt("give up claims in progress", () -> life.fence.shutForGood("it is stopping"));
    }
    boolean empty = isEmpty();
    if (empty) {
      attempt("release the single-node lease", components.singleNodeGuard::leave);
    }
    attempt("stop renewing the single-node lease", components.singleNodeGuard::close);
    attempt("release its leases", components.leases::close);
    attempt("stop its heartbeat", () -> stopAll(threads.heart()));
    await(() -> haveEnded(threads.heart()));
    if (empty) {
      attempt("deregister", this::deregister);
    } else {
      log.error(
          "{} jobs of node {} did not respond to interruption, or their outcome could not be"
              + " written; other nodes recover them after its timeout",
          held(),
          id());
    }
  }

  private void deregister() {
    try {
      components.store.nodes().leave(components.identity.incarnation());
      components.bus.publish(new Signal.SchedulesChanged()); // Its schedules may be undeclared now.
    } catch (StoreException away) {
      log.warn(
          "Node {} could not deregister; other nodes declare it dead after its timeout: {}",
          id(),
          away.getMessage());
    }
  }

  private void release() {
    attempt(
        "stop listening to signals",
        () -> {
          subscription.run();
          components.bus.close();
        });
    for (TaskExecutor executor : work.executors) {
      attempt("close executor " + executor.name(), executor::close);
    }
    attempt("remove its meters of lost slots", components.lost::close);
    attempt("deliver its last events", components.events::close);
    attempt("remove its values from gauges", components.meters::close);
    attempt("leave its process", last);
  }

  /** Runs a step. A failing step must not prevent the following ones. */
  private void attempt(String what, Runnable action) {
    step = what;
    try {
      action.run();
    } catch (RuntimeException | Error failure) {
      log.error(
          "Node {} failed to {} while stopping; it continues with the next step",
          id(),
          what,
          failure);
    }
  }

  private void giveUp() {
    try (var speaking = components.logs.borrow()) {
      log.error(
          "Node {} did not stop in time and is abandoned: it still had to {}. Other nodes recover"
              + " the jobs it holds after its timeout",
          id(),
          step);
      // Threads that are left behind may resume: they must not start or write anything.
      life.fence.shutForGood("it did not stop in time");
    } finally {
      stopped.countDown();
    }
  }

  private static void stopAll(List<Driven<?>> roles) {
    roles.forEach(Driven::stop);
  }

  private static boolean haveEnded(List<Driven<?>> roles) {
    return roles.stream().allMatch(Driven::hasEnded);
  }

  /** Returns whether the node holds no job, and no code of a job still runs. */
  private boolean isEmpty() {
    return held() == 0 && life.fence.isQuiet();
  }

  private int held() {
    return components.heldJobs.size();
  }

  private String id() {
    return components.settings.id();
  }

  /**
   * Waits until the deadline, which may move to an earlier time in the meantime, never to a later
   * one.
   */
  private boolean await(BooleanSupplier condition) {
    deadline.await(() -> condition.getAsBoolean() || deadline.isOver());
    return condition.getAsBoolean();
  }

  private void awaitStopped() {
    boolean interrupted = false;
    while (!hasStopped()) {
      try {
        stopped.await();
      } catch (InterruptedException again) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
