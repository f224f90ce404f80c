package dev.holdfast.bench.peers;

import javax.sql.DataSource;

/**
 * A library in Java to compare Holdfast with. One thread calls {@link #connect} before anything
 * else.
 */
public interface Peer extends JobRunner {

  /**
   * Returns the number of connections that the pool passed to {@link #connect} should have. The
   * driver should use {@code reWriteBatchedInserts=true}, which turns the batches of db-scheduler
   * and JobRunr into one multi-row insert.
   */
  int connections();

  /**
   * Uses a database.
   *
   * @param database closed by the caller, after this peer
   */
  void connect(DataSource database);

  /** Creates the tables in a schema that does not have them. */
  void createTables();

  /** Deletes all jobs. No worker may be running. */
  void clear();

  /**
   * Enqueues no-op jobs with a payload of 50 bytes that are due at once, in the fastest way that
   * the library documents.
   */
  void enqueue(int count);
}
