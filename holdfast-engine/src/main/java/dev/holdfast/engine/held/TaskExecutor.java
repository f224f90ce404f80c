package dev.holdfast.engine.held;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Runs handlers. Implement it to use your own executor; {@link dev.holdfast.engine.rule.Router
 * routing rules} select the tasks that it runs.
 */
public interface TaskExecutor extends AutoCloseable {

  /** The executor that runs each job on a virtual thread; the default. */
  String VIRTUAL = "virtual";

  /** The executor that runs jobs on a bounded number of platform threads, for CPU-bound work. */
  String PLATFORM = "platform";

  /** Returns the name that routing rules use. */
  String name();

  /** Returns how many jobs it runs at the same time. A node claims no more for it than that. */
  int capacity();

  /**
   * Runs a job soon, on a thread that may be interrupted while it runs the job. The node never
   * exceeds the capacity.
   */
  void execute(Runnable job);

  /**
   * Returns whether each job has its own thread, so that the node can run another job in place of
   * one whose handler hangs. Defaults to false: a pool has no thread to spare for it.
   */
  default boolean hasThreadPerJob() {
    return false;
  }

  /**
   * Releases the threads. Called when nothing runs any more, or when the node stops waiting for
   * what still runs.
   */
  @Override
  void close();

  /** Returns an executor with one virtual thread per job, limited only by the node. */
  static TaskExecutor virtual() {
    return of(
        VIRTUAL,
        Integer.MAX_VALUE,
        true,
        Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("holdfast-job-", 0).factory()));
  }

  /** Returns an executor with a fixed number of platform threads. */
  static TaskExecutor platform(int threads) {
    if (threads < 1) {
      throw new IllegalArgumentException(
          "A number of %d platform threads is not valid: use at least 1.".formatted(threads));
    }
    return of(
        PLATFORM,
        threads,
        Executors.newFixedThreadPool(
            threads, Thread.ofPlatform().daemon().name("holdfast-cpu-", 0).factory()));
  }

  /**
   * Returns an executor that runs jobs on an executor service of the JDK, with this name and
   * capacity.
   */
  static TaskExecutor of(String name, int capacity, ExecutorService threads) {
    return of(name, capacity, false, threads);
  }

  private static TaskExecutor of(
      String name, int capacity, boolean threadPerJob, ExecutorService threads) {
    return new TaskExecutor() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public int capacity() {
        return capacity;
      }

      @Override
      public boolean hasThreadPerJob() {
        return threadPerJob;
      }

      @Override
      public void execute(Runnable job) {
        threads.execute(job);
      }

      @Override
      public void close() {
        threads.shutdownNow();
      }
    };
  }
}
