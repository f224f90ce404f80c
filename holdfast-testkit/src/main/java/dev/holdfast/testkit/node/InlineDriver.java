package dev.holdfast.testkit.node;

import dev.holdfast.engine.held.TaskExecutor;
import dev.holdfast.engine.lease.LeaseExpiry;
import dev.holdfast.engine.lease.Renewer;
import dev.holdfast.engine.role.Driver;
import dev.holdfast.engine.role.LateWaker;
import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.role.Waker;
import dev.holdfast.engine.run.TimeoutWatcher;
import dev.holdfast.engine.time.Moment;
import dev.holdfast.engine.time.Ticker;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Drives the roles and the jobs of a node on the thread that calls {@link #runDue}, one after the
 * other and always in the same order. Between calls nothing runs.
 */
final class InlineDriver implements Driver {
  /** The name of its executor. */
  static final String EXECUTOR = "inline";

  private final Ticker ticker;
  private final @Nullable Driver forLeases;
  private final List<InlineRole<?>> roles = new CopyOnWriteArrayList<>();
  private final Queue<Runnable> jobs = new ArrayDeque<>();
  private volatile boolean runsJob;
  private volatile boolean killed;
  private @Nullable TimeoutWatcher timeouts;

  private InlineDriver(Ticker ticker, @Nullable Driver forLeases) {
    this.ticker = ticker;
    this.forLeases = forLeases;
  }

  /** Returns a driver for a clock that stands still while roles run. */
  static InlineDriver inVirtualTime(Ticker ticker) {
    return new InlineDriver(ticker, null);
  }

  /**
   * Returns a driver for the clock of the machine. Leases are renewed by threads: a handler that
   * holds one may run for longer than its TTL.
   */
  static InlineDriver inRealTime(Ticker ticker) {
    return new InlineDriver(ticker, Driver.threads(ticker));
  }

  @Override
  public <R extends Role> Driven<R> drive(Function<Waker, R> create, Runnable entering) {
    LateWaker waker = new LateWaker();
    R role = create.apply(waker);
    if (role instanceof TimeoutWatcher watcher) {
      timeouts = watcher;
    }
    Driven<R> driven =
        forLeases != null && (role instanceof Renewer || role instanceof LeaseExpiry)
            ? forLeases.drive(threadWaker -> role, entering)
            : inline(role, entering);
    waker.wakes(driven);
    return driven;
  }

  @Override
  public boolean startsAtOnce() {
    return false;
  }

  private <R extends Role> Driven<R> inline(R role, Runnable entering) {
    InlineRole<R> driven = new InlineRole<>(role, entering);
    roles.add(driven);
    return driven;
  }

  /** Returns an executor whose jobs run in {@link #runDue}, one at a time. */
  TaskExecutor executor() {
    return new TaskExecutor() {
      @Override
      public String name() {
        return EXECUTOR;
      }

      // One, so that each claim sees what the jobs before it enqueued, by priority.
      @Override
      public int capacity() {
        return 1;
      }

      @Override
      public void execute(Runnable job) {
        jobs.add(job);
      }

      @Override
      public void close() {}
    };
  }

  /**
   * Runs jobs and roles until none is due.
   *
   * @param most how many jobs to run: after that, no more are claimed
   * @return how many jobs ran
   */
  int runDue(int most) {
    int ran = runJobs();
    boolean busy;
    do {
      busy = false;
      for (InlineRole<?> role : roles) {
        if (!killed && role.isDue() && (ran < most || !role.claims())) {
          role.tick();
          ran += runJobs();
          busy = true;
        }
      }
    } while (busy);
    return ran;
  }

  private int runJobs() {
    int ran = 0;
    for (Runnable job = jobs.poll(); job != null && !killed; job = jobs.poll()) {
      runsJob = true;
      try {
        job.run();
      } finally {
        runsJob = false;
      }
      ran++;
    }
    return ran;
  }

  /**
   * Interrupts the running job if its time is over. Only time that passes while the job runs can
   * have this effect, and the thread that usually checks it runs the job.
   */
  void timeHasPassed() {
    if (runsJob && timeouts != null) {
      timeouts.tick(ticker.now());
    }
  }

  /** Lets nothing run any more, except for the rest of the job that is running. */
  void kill() {
    killed = true;
  }

  boolean isKilled() {
    return killed;
  }

  /** Returns whether a job is running, rather than a role. */
  boolean runsJob() {
    return runsJob;
  }

  private final class InlineRole<R extends Role> implements Driven<R> {
    private final R role;
    private final Runnable entering;
    private final AtomicBoolean woken = new AtomicBoolean();
    private volatile boolean started;
    private volatile boolean stopping;
    private volatile boolean ticking;
    private Moment next = new Moment(Long.MIN_VALUE);

    InlineRole(R role, Runnable entering) {
      this.role = role;
      this.entering = entering;
    }

    @Override
    public R role() {
      return role;
    }

    /** Returns whether it claims or starts jobs. Such roles share threads: a node may have many. */
    boolean claims() {
      return role.sharesThread();
    }

    @Override
    public void start() {
      started = true;
    }

    @Override
    public void wake() {
      woken.set(true);
    }

    @Override
    public void stop() {
      stopping = true;
    }

    @Override
    public boolean hasEnded() {
      return !ticking && (stopping || !started);
    }

    boolean isDue() {
      return started && !stopping && (woken.get() || !ticker.now().isBefore(next));
    }

    void tick() {
      ticking = true;
      try {
        woken.set(false);
        entering.run();
        next = role.tick(ticker.now());
      } finally {
        ticking = false;
      }
    }
  }
}
