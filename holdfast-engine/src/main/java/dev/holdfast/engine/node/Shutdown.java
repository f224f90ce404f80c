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
 * Stops a node, once, within one deadline for everything: the shutdown grace, and {@link
 * #AFTER_GRACE} for the rest. An orchestrator kills the process soon after the grace, so a step
 * that waits for a database that hangs must not take the time of the others.
 *
 * <p>The steps run on a thread of their own and the caller waits for it until the deadline: any of
 * them may call the database or code of the user, and none can be relied on to return.
 */
final class Shutdown {
  private static final Logger log = LoggerFactory.getLogger(Shutdown.class);
  private static final Duration TO_RESPOND = Duration.ofSeconds(3);
  private static final Duration TO_LEAVE = Duration.ofSeconds(1);

  /** For handlers to respond to their interrupt, and then to deregister the node. */
  static final Duration AFTER_GRACE = TO_RESPOND.plus(TO_LEAVE);

  /** The threads that drive the roles, by when they must stop. */
  record Threads(
      List<Driven> claiming, List<Driven> clocks, Driven completer, List<Driven> heart) {}

  private final NodeComponents ground;
  private final WorkingRoles work;
  private final LivenessRoles life;
  private final Threads threads;
  private final Runnable subscription;
  private final AtomicBoolean asked = new AtomicBoolean();
  private final CountDownLatch stopped = new CountDownLatch(1);
  private volatile boolean hurried;
  private volatile Deadline deadline = Deadline.in(Duration.ZERO);
  private volatile String step = "begin";

  /**
   * @param subscription ends that the node receives signals
   */
  Shutdown(
      NodeComponents ground,
      WorkingRoles work,
      LivenessRoles life,
      Threads threads,
      Runnable subscription) {
    this.ground = ground;
    this.work = work;
    this.life = life;
    this.threads = threads;
    this.subscription = subscription;
  }

  boolean isAsked() {
    return asked.get();
  }

  /** Reaches zero when the node has stopped, or its time to stop is over. */
  CountDownLatch stopped() {
    return stopped;
  }

  /** Stops the node, or waits until the stop in progress has ended. */
  void run() {
    if (!asked.compareAndSet(false, true)) {
      awaitStopped();
      return;
    }
    deadline = Deadline.in(ground.settings.shutdownGrace().plus(AFTER_GRACE));
    begin();
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

  private void begin() {
    try {
      Thread.ofPlatform().daemon().name("holdfast-stop").start(this::stopInOrder);
    } catch (OutOfMemoryError noThread) {
      log.warn("No thread can be started to stop node {}; the caller stops it", id(), noThread);
      stopInOrder();
    }
  }

  private void stopInOrder() {
    try (var speaking = ground.logs.borrow()) {
      drain();
      interrupt();
      leave();
      release();
      log.info("Node {} has stopped", id());
    } finally {
      stopped.countDown();
    }
  }

  /** Claims no more, hands back what has not started, and lets running jobs go on for the grace. */
  private void drain() {
    Deadline grace = Deadline.in(ground.settings.shutdownGrace());
    log.info("Node {} stops; it holds {} jobs", id(), held());
    attempt("stop claiming", () -> stopAll(threads.claiming()));
    attempt("hand back jobs that have not started", this::handBackUnstarted);
    step = "wait for claims in progress";
    grace.await(() -> hurried || haveEnded(threads.claiming()));
    attempt("hand back what the last claims brought", this::handBackUnstarted);
    step = "wait for running jobs";
    grace.await(() -> hurried || held() == 0);
    deadline = deadline.earlier(Deadline.in(AFTER_GRACE)); // Earlier where the grace was cut short.
  }

  private void handBackUnstarted() {
    work.claimers.all().forEach(Claimer::stop);
  }

  private void interrupt() {
    if (held() > 0) {
      log.warn("{} jobs are interrupted and handed back without using an attempt", held());
    }
    step = "wait for interrupted jobs";
    Deadline.in(TO_RESPOND)
        .await(() -> {
          attempt(step, this::interruptAll);
          return isEmpty();
        });
  }

  /** Called again and again: a claim that was in progress may bring jobs even now. */
  private void interruptAll() {
    handBackUnstarted();
    for (HeldJob heldJob : ground.heldJobs.all()) {
      if (heldJob.stopReason() == null) {
        heldJob.stop(StopReason.HANDED_BACK);
      }
    }
  }

  /** Deregisters the node if nothing of it is left; its heartbeat goes on until then. */
  private void leave() {
    attempt(
        "stop its roles",
        () -> {
          stopAll(threads.clocks());
          threads.completer().stop();
        });
    Deadline.in(TO_LEAVE)
        .await(() -> haveEnded(threads.clocks()) && threads.completer().hasEnded());
    if (!haveEnded(threads.claiming())) {
      // Others may start its jobs as soon as it has left: a late reply must start none here.
      attempt("give up claims in progress", () -> life.fence.shutForGood("it stops"));
    }
    boolean empty = isEmpty();
    if (empty) {
      attempt("let other nodes in", ground.alone::leave);
    }
    attempt("give up its leases", ground.leases::close);
    attempt("stop its heartbeat", () -> stopAll(threads.heart()));
    await(() -> haveEnded(threads.heart()));
    if (empty) {
      attempt("deregister", this::deregister);
    } else {
      log.error(
          "{} jobs of node {} ignored their interrupt or their outcome could not be written; other"
              + " nodes take them over after its timeout",
          held(),
          id());
    }
  }

  private void deregister() {
    try {
      ground.store.nodes().leave(ground.identity.incarnation());
      ground.bus.publish(new Signal.SchedulesChanged()); // Perhaps no other node declares them.
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
          ground.bus.close();
        });
    for (TaskExecutor executor : work.executors) {
      attempt("close executor " + executor.name(), executor::close);
    }
    attempt("show no lost slots any more", ground.lost::close);
    attempt("deliver its last events", ground.events::close);
  }

  /** A step that fails must not keep the others from being done. */
  private void attempt(String what, Runnable action) {
    step = what;
    try {
      action.run();
    } catch (RuntimeException | Error failure) {
      log.error("Node {} failed to {}, and goes on to stop", id(), what, failure);
    }
  }

  private void giveUp() {
    try (var speaking = ground.logs.borrow()) {
      log.error(
          "Node {} did not stop in time and is given up: it still had to {}. Other nodes take over"
              + " what it holds after its timeout",
          id(),
          step);
      // Threads that are left behind may come back: nothing starts or is written by them.
      life.fence.shutForGood("it did not stop in time");
    } finally {
      stopped.countDown();
    }
  }

  private static void stopAll(List<Driven> roles) {
    roles.forEach(Driven::stop);
  }

  private static boolean haveEnded(List<Driven> roles) {
    return roles.stream().allMatch(Driven::hasEnded);
  }

  /** Whether nothing is held, and no code runs for what was. */
  private boolean isEmpty() {
    return held() == 0 && life.fence.isQuiet();
  }

  private int held() {
    return ground.heldJobs.size();
  }

  private String id() {
    return ground.settings.id();
  }

  /** Waits until the deadline, which may move to an earlier time meanwhile, never to a later. */
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
