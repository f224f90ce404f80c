package dev.holdfast.engine.store;

import java.util.List;

/** New jobs. */
public interface Intake {

  /**
   * Write all of these jobs, or none.
   *
   * <p>A job due now is READY with its rank when this returns; any other is SCHEDULED. Ranks of one
   * call follow the order of the list. A unique key that is taken is answered as the key says.
   *
   * @return one admission per job, in the order of the list
   * @throws dev.holdfast.api.DuplicateJobException if a key is taken that asks to fail then
   */
  List<Admission> enqueue(List<NewJob> jobs);

  /**
   * Whether a live node serves a queue, asked over the connection that new jobs would take: a
   * caller in a transaction holds one and must not wait for another.
   */
  boolean isDeclared(String queue);
}
