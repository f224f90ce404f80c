package dev.holdfast.api;

import dev.holdfast.api.job.QueueStatus;
import java.util.List;

/** Steer queues for the whole cluster. */
public interface Queues {

  /**
   * Lets no node start jobs of this queue until it is resumed. Running jobs continue. The queue
   * need not exist yet: it may be paused before its first job or node. A misspelt name is not
   * noticed here; {@link #list} shows it until it is resumed.
   */
  void pause(String queue);

  /** Let nodes begin jobs of this queue again. */
  void resume(String queue);

  /** Let the whole cluster hold at most so many jobs of this queue at once. */
  void limit(String queue, int most);

  /** Take the limit away again. */
  void unlimit(String queue);

  /** Every queue that has jobs or a live node, or is paused or limited. */
  List<QueueStatus> list();
}
