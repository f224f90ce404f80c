package dev.holdfast.tck.simulation;

import dev.holdfast.engine.held.TaskExecutor;
import dev.holdfast.engine.role.Driver;
import dev.holdfast.engine.role.Environment;
import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.role.Waker;
import dev.holdfast.engine.time.Moment;
import dev.holdfast.engine.time.Ticker;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The process of a node and its machine: its threads and clocks, and whether the process is
 * suspended.
 */
final class Host implements Ticker, Driver {
  private static final Instant EPOCH = Instant.parse("2026-01-01T00:00:00Z");
  private static final Duration AFTER_ERROR = Duration.ofSeconds(1);

  private final String name;
  private final Timeline timeline;
  private final SplittableRandom random;
  private final Consumer<Throwable> onFailure;
  private final List<SimulatedThread> simulatedThreads = new ArrayList<>();
  private final long clockStart;
  private final double clockRate;
  private Duration wallOffset = Duration.ZERO;
  private long pausedUntil;
  private long cutOffUntil;
  private boolean crashed;

  /** The total time for which the machine and its monotonic clock were suspended. */
  private long slept;

  private int suspensions;

  Host(String name, Timeline timeline, SplittableRandom random, Consumer<Throwable> onFailure) {
    this.name = name;
    this.timeline = timeline;
    this.random = random;
    this.onFailure = onFailure;
    this.clockStart = random.nextLong(1_000_000_000_000L) - timeline.now();
    this.clockRate = 1 + (random.nextDouble() - 0.5) / 100;
  }

  String name() {
    return name;
  }

  SplittableRandom chance() {
    return random;
  }

  Environment environment() {
    return new Environment(
        this, this, () -> new UUID(random.nextLong(), random.nextLong()), random);
  }

  @Override
  public Moment now() {
    return new Moment(clockStart + (long) ((timeline.now() - slept) * clockRate));
  }

  @Override
  public Instant timeOfDay() {
    return EPOCH.plusNanos(timeline.now()).plus(wallOffset);
  }

  /** Returns the time at which this clock shows a moment. */
  private long timeOf(Moment moment) {
    return (long) ((moment.nanos() - clockStart) / clockRate) + slept + 1_000;
  }

  void setWallClock(Duration forward) {
    wallOffset = wallOffset.plus(forward);
  }

  boolean isPaused() {
    return pausedUntil > timeline.now();
  }

  long pausedUntil() {
    return pausedUntil;
  }

  /** Stops all threads for this time, while the clocks continue. */
  void pause(long nanos) {
    pausedUntil = Math.max(pausedUntil, timeline.now() + nanos);
  }

  /**
   * Suspends the machine: its threads and its monotonic clock stop. Only the wall clock shows that
   * time has passed.
   */
  void suspend(long nanos) {
    pause(nanos);
    slept += nanos;
    suspensions++;
  }

  /** Returns how often the machine was suspended. */
  int suspensions() {
    return suspensions;
  }

  /** Drops all messages between this host and the store for this time. */
  void cutOff(long nanos) {
    cutOffUntil = Math.max(cutOffUntil, timeline.now() + nanos);
  }

  boolean isCutOff() {
    return cutOffUntil > timeline.now();
  }

  boolean isCrashed() {
    return crashed;
  }

  /** Ends every thread immediately. Must be called between events. */
  void crash() {
    crashed = true;
    for (SimulatedThread thread : List.copyOf(simulatedThreads)) {
      thread.kill();
    }
    simulatedThreads.clear();
  }

  void failed(Throwable failure) {
    if (!crashed) {
      onFailure.accept(failure);
    }
  }

  /** Runs the body soon, on a new simulated thread. */
  SimulatedThread spawn(Runnable body) {
    SimulatedThread thread = new SimulatedThread(timeline, this, body);
    if (!crashed) {
      simulatedThreads.add(thread);
      thread.resumeAt(timeline.now() + random.nextInt(1, 500_000));
    }
    return thread;
  }

  @Override
  public void run(String name, Runnable body) {
    spawn(body);
  }

  @Override
  public <R extends Role> Driven<R> drive(Function<Waker, R> role, Runnable entering) {
    return new DrivenRole<>(role, entering);
  }

  /** Drives a role like {@code RoleThread}, on a simulated thread. */
  private final class DrivenRole<R extends Role> implements Driven<R> {
    private final R role;
    private final Runnable entering;
    private @Nullable SimulatedThread thread;
    private boolean woken;
    private boolean waiting;
    private boolean stopping;

    DrivenRole(Function<Waker, R> role, Runnable entering) {
      this.entering = entering;
      this.role = role.apply(this);
    }

    @Override
    public R role() {
      return role;
    }

    @Override
    public void start() {
      thread = spawn(this::loop);
    }

    @Override
    public void wake() {
      if (!woken) {
        woken = true;
        resumeSoon();
      }
    }

    @Override
    public void stop() {
      stopping = true;
      resumeSoon();
    }

    @Override
    public boolean hasEnded() {
      return stopping || thread == null;
    }

    private void resumeSoon() {
      if (waiting && thread != null) {
        thread.resumeAt(timeline.now() + random.nextInt(1, 200_000));
      }
    }

    private void loop() {
      entering.run();
      while (!stopping) {
        woken = false;
        Moment next = tick();
        if (!woken && !stopping && thread != null) {
          waiting = true;
          thread.sleepUntil(next.equals(Moment.NEVER) ? Long.MAX_VALUE : timeOf(next));
          waiting = false;
        }
      }
    }

    private Moment tick() {
      try {
        return role.tick(now());
      } catch (RuntimeException failure) {
        failed(failure);
        return now().plus(AFTER_ERROR);
      }
    }
  }

  /** Returns an executor that runs each job on a thread of this host. */
  TaskExecutor executor() {
    return new TaskExecutor() {
      @Override
      public String name() {
        return VIRTUAL;
      }

      @Override
      public int capacity() {
        return Integer.MAX_VALUE;
      }

      @Override
      public void execute(Runnable job) {
        spawn(job);
      }

      @Override
      public void close() {}
    };
  }
}
