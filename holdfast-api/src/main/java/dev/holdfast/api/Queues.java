package dev.holdfast.api;

import dev.holdfast.api.job.QueueStatus;
import java.util.List;

/** Lists, pauses and limits queues for the whole cluster. */
public interface Queues {

  /**
   * Pauses a queue: no node starts its jobs until it is resumed. Running jobs continue. The queue
   * need not exist yet: it can be paused before its first job or node. A misspelt name is not
   * detected here, but {@link #list} shows it until it is resumed.
   */
  void pause(String queue);

  /** Resumes a paused queue: nodes start its jobs again. */
  void resume(String queue);

  /**
   * Limits how many jobs of a queue are claimed or running at the same time in the whole cluster.
   * By default, there is no limit.
   *
   * @param most the limit, at least 1; to stop a queue, {@linkplain #pause pause} it
   */
  void limit(String queue, int most);

  /** Removes the limit of a queue. */
  void unlimit(String queue);

  /** Lists the queues that have jobs or a live node, or are paused or limited. */
  List<QueueStatus> list();
}
