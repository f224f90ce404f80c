package dev.holdfast.bench.peers;

import java.time.Duration;
import javax.sql.DataSource;

/**
 * A scheduler to compare Holdfast with. One thread calls {@link #install}, then {@link #enqueue}
 * and {@link #drain} in each round, then {@link #close}.
 */
public interface Peer extends AutoCloseable {

  /** Returns the name and version to print, such as {@code Quartz 2.5.2}. */
  String name();

  /**
   * Returns the number of connections that the pool passed to {@link #install} should have. The
   * driver should use {@code reWriteBatchedInserts=true}, which turns the batches of db-scheduler
   * and JobRunr into one multi-row insert.
   */
  int connections();

  /** Returns the number of jobs for a round of about ten seconds. */
  int comfortableRound();

  /**
   * Creates the tables of this peer in a database that does not have them.
   *
   * @param database closed by the caller, after this peer
   */
  void install(DataSource database);

  /** Enqueues no-op jobs that are due at once, in the fastest way that the peer documents. */
  void enqueue(int count);

  /**
   * Runs the enqueued jobs, and stops the workers.
   *
   * @param count the number of waiting jobs
   * @return the time from the start of the first job until all jobs are finished in the peer's
   *     tables. Start-up and the first fetch are excluded for every peer alike: JobRunr waits a
   *     second before its first fetch, the others do not.
   */
  Duration drain(int count);

  @Override
  void close();
}
