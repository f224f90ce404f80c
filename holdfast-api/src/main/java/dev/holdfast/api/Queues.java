package dev.holdfast.api;

import dev.holdfast.api.job.QueueStatus;
import java.util.List;

/** Steer queues for the whole cluster. */
public interface Queues {

  /** Let no node begin jobs of this queue until it is resumed. Running jobs go on. */
  void pause(String queue);

  /** Let nodes begin jobs of this queue again. */
  void resume(String queue);

  /** Let the whole cluster hold at most so many jobs of this queue at once. */
  void limit(String queue, int most);

  /** Take the limit away again. */
  void unlimit(String queue);

  /** Every queue that has jobs, settings or a live node. */
  List<QueueStatus> list();
}
