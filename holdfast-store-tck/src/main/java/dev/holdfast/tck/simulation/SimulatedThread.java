package dev.holdfast.tck.simulation;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A simulated thread: a real thread that runs only while the timeline is stopped for it, and
 * returns control to the timeline when it waits. Interrupts are those of the real thread.
 */
final class SimulatedThread {
  /** Switching between virtual threads is fastest, but monitors pin them before this version. */
  private static final boolean VIRTUAL = Runtime.version().feature() >= 24;

  /** Thrown where a thread of a crashed process would continue, so that it ends. */
  static final class Crashed extends Error {
    private static final long serialVersionUID = 1L;

    Crashed() {
      super("The process of this simulated thread has crashed", null, false, false);
    }
  }

  private final Timeline timeline;
  private final Host host;
  private final Runnable body;
  private @Nullable Thread thread;
  private @Nullable Thread loop;
  private volatile boolean turn;
  private boolean killed;
  private boolean done;
  private long ticket;

  SimulatedThread(Timeline timeline, Host host, Runnable body) {
    this.timeline = timeline;
    this.host = host;
    this.body = body;
  }

  Host host() {
    return host;
  }

  /** Starts or resumes the thread at this time. Replaces earlier plans. */
  void resumeAt(long nanos) {
    long mine = ++ticket;
    timeline.at(nanos, () -> resume(mine));
  }

  private void resume(long planned) {
    if (planned != ticket || done) {
      return;
    }
    if (host.isPaused()) {
      // The order in which threads wake up after a pause is random.
      timeline.at(host.pausedUntil() + host.chance().nextInt(2_000_000), () -> resume(planned));
      return;
    }
    run();
  }

  /** Lets other threads run until this time. Called by the thread itself. */
  void sleepUntil(long nanos) {
    if (killed) {
      throw new Crashed();
    }
    resumeAt(nanos);
    handBack();
    if (killed) {
      throw new Crashed();
    }
  }

  /** Ends the thread immediately. */
  void kill() {
    killed = true;
    ticket++;
    if (thread != null && !done) {
      run();
    }
  }

  private void run() {
    loop = Thread.currentThread();
    timeline.runs(this);
    turn = true;
    Thread own = thread;
    if (own == null) {
      own = VIRTUAL ? Thread.ofVirtual().unstarted(this::live) : daemon();
      thread = own;
      own.start();
    } else {
      LockSupport.unpark(own);
    }
    while (turn) {
      LockSupport.park(this);
    }
    timeline.runs(null);
  }

  private Thread daemon() {
    return Thread.ofPlatform().daemon().unstarted(this::live);
  }

  private void live() {
    try {
      body.run();
    } catch (Crashed end) {
      // The process has crashed.
    } catch (RuntimeException | Error failure) {
      host.failed(failure);
    } finally {
      done = true;
      turn = false;
      LockSupport.unpark(loop);
    }
  }

  private void handBack() {
    turn = false;
    LockSupport.unpark(loop);
    boolean interrupted = false;
    while (!turn) {
      LockSupport.park(this);
      interrupted |= Thread.interrupted(); // Otherwise park would keep returning at once.
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
