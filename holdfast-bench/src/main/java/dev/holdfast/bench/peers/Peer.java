package dev.holdfast.bench.peers;

import java.time.Duration;
import javax.sql.DataSource;

/**
 * A scheduler to compare with. Used by one thread: {@link #install}, then rounds of {@link
 * #enqueue} and {@link #drain}, then {@link #close}.
 */
public interface Peer extends AutoCloseable {

  /** The name and version to print, as in {@code Quartz 2.5.2}. */
  String name();

  /**
   * How many connections the pool handed to {@link #install} should have. The driver should be told
   * {@code reWriteBatchedInserts=true}, which makes one multi-row insert of the batches that
   * db-scheduler and JobRunr send.
   */
  int connections();

  /** How many jobs make a round of about ten seconds; the first rounds warm the JVM up. */
  int comfortableRound();

  /**
   * Make the tables in a database that has none of this peer's yet.
   *
   * @param database stays the caller's to close, after this peer
   */
  void install(DataSource database);

  /** Add no-op jobs that are due at once, in the fastest way the peer documents. */
  void enqueue(int count);

  /**
   * Run the jobs that were enqueued, and stop the workers again.
   *
   * @param count how many jobs are waiting
   * @return the time from the first job run to the moment when the peer's own tables say that all
   *     are finished. Start-up and the first fetch are left out, in favour of every peer alike:
   *     JobRunr waits a second before it first looks for work, the others do not.
   */
  Duration drain(int count);

  @Override
  void close();
}
