package dev.holdfast.engine.store;

import java.util.List;

/** Stores new jobs. */
public interface Intake {

  /**
   * Writes all of these jobs, or none.
   *
   * <p>A job due now is READY with its rank when this returns; any other is SCHEDULED. The ranks of
   * one call follow the order of the list. A unique key that is taken is handled as the key
   * specifies.
   *
   * @return one admission per job, in the order of the list
   * @throws dev.holdfast.api.DuplicateJobException if a unique key is taken and its conflict rule
   *     is FAIL
   */
  List<Admission> enqueue(List<NewJob> jobs);

  /**
   * Returns whether a live node serves a queue. The query uses the connection that new jobs would
   * use: a caller in a transaction holds one and must not wait for another.
   */
  boolean isDeclared(String queue);
}
