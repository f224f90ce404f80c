package dev.holdfast.api;

import dev.holdfast.api.job.QueueStatus;
import java.util.List;
import java.util.Optional;

/** Lists, pauses and limits queues for the whole cluster. */
public interface Queues {

  /**
   * Pauses a queue: no node starts its jobs until it is resumed. Running jobs continue. Queues are
   * not created, so one can be paused before its first job or node; {@link #list} shows it until it
   * is resumed.
   *
   * @return whether the queue exists, as {@link #find} defines it. If not, and if it is not meant
   *     to be paused in advance, the name is probably misspelt
   */
  boolean pause(String queue);

  /**
   * Pauses a queue and stores why, for operators who find it paused. Pausing a paused queue
   * replaces the reason.
   *
   * @param reason why, in 1 to 256 characters; {@link QueueStatus#pauseReason} and the {@link
   *     dev.holdfast.api.job.WaitReason} of its jobs show it
   * @return whether the queue exists
   * @see #pause(String)
   */
  boolean pause(String queue, String reason);

  /**
   * Resumes a paused queue: nodes start its jobs again.
   *
   * @return whether the queue exists
   */
  boolean resume(String queue);

  /**
   * Limits how many jobs of a queue are claimed or running at the same time in the whole cluster.
   * By default, there is no limit.
   *
   * @param most the limit, at least 1; to stop a queue, {@linkplain #pause pause} it
   */
  void limit(String queue, int most);

  /**
   * Removes the limit of a queue.
   *
   * @return whether it had one
   */
  boolean unlimit(String queue);

  /**
   * Finds a queue.
   *
   * @return the queue; empty if it has no jobs and no live node, and is neither paused nor limited
   */
  Optional<QueueStatus> find(String queue);

  /** Lists the queues that have jobs or a live node, or are paused or limited. */
  List<QueueStatus> list();
}
