package dev.holdfast.engine.held;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Where handlers run. Implement it to bring an executor of your own; jobs reach it by {@link
 * dev.holdfast.engine.rule.Router routing rules}.
 */
public interface TaskExecutor extends AutoCloseable {

  /** The executor that runs each job on a virtual thread; the default. */
  String VIRTUAL = "virtual";

  /** The executor that runs jobs on a bounded number of platform threads, for CPU-bound work. */
  String PLATFORM = "platform";

  /** What routing rules call it. */
  String name();

  /** How many jobs it runs at once. A node claims no more for it than that. */
  int capacity();

  /**
   * Run soon, on a thread that may be interrupted while it runs this. Never called beyond capacity.
   */
  void execute(Runnable job);

  /**
   * Whether each job runs on a thread of its own, so that another job can run beside one whose
   * handler hangs. Defaults to no: a pool has no thread to spare for it.
   */
  default boolean hasThreadPerJob() {
    return false;
  }

  /** Let go of threads. Called when nothing runs any more, or nothing can be waited for. */
  @Override
  void close();

  /** One virtual thread per job, bounded by the node's own limits alone. */
  static TaskExecutor virtual() {
    return of(
        VIRTUAL,
        Integer.MAX_VALUE,
        true,
        Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("holdfast-job-", 0).factory()));
  }

  /** A fixed number of platform threads. */
  static TaskExecutor platform(int threads) {
    if (threads < 1) {
      throw new IllegalArgumentException(
          "%d platform threads are not valid: give at least 1.".formatted(threads));
    }
    return of(
        PLATFORM,
        threads,
        Executors.newFixedThreadPool(
            threads, Thread.ofPlatform().daemon().name("holdfast-cpu-", 0).factory()));
  }

  /** Any executor service of the JDK's, under a name and with a capacity. */
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
