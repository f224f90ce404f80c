package dev.holdfast.tck.contract;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/** Runs the same action in several threads at the same time. */
final class Together {
  private static final int PATIENCE_SECONDS = 60;

  private Together() {}

  /**
   * Runs the action in this number of threads, which all start at once, and returns their results.
   */
  static <T> List<T> run(int threads, IntFunction<T> work) throws Exception {
    CyclicBarrier start = new CyclicBarrier(threads);
    try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
      List<Future<T>> running = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        int number = i;
        running.add(
            pool.submit(() -> {
              start.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
              return work.apply(number);
            }));
      }
      List<T> results = new ArrayList<>();
      for (Future<T> future : running) {
        results.add(future.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
      }
      return results;
    }
  }
}
