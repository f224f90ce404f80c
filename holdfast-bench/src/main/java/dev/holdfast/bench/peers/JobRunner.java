package dev.holdfast.bench.peers;

/** A library with one set of settings that runs no-op jobs. */
public interface JobRunner extends AutoCloseable {

  /**
   * Runs the enqueued jobs, and stops the workers.
   *
   * @param count the number of waiting jobs
   */
  Lap drain(int count);

  @Override
  void close();
}
