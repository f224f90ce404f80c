package dev.holdfast.engine.client;

import dev.holdfast.api.Queues;
import dev.holdfast.api.internal.Names;
import dev.holdfast.api.job.QueueStatus;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.notify.SignalBus;
import dev.holdfast.engine.store.QueueStore;
import java.util.List;
import java.util.Optional;

/** Manages queues in the store, and notifies the nodes. */
final class StoredQueues implements Queues {
  private final QueueStore queues;
  private final SignalBus bus;

  StoredQueues(QueueStore queues, SignalBus bus) {
    this.queues = queues;
    this.bus = bus;
  }

  @Override
  public boolean pause(String queue) {
    return change(queue, () -> queues.pause(queue));
  }

  @Override
  public boolean pause(String queue, String reason) {
    Names.text("Reason", reason);
    return change(queue, () -> queues.pause(queue, reason));
  }

  @Override
  public boolean resume(String queue) {
    return change(queue, () -> queues.resume(queue));
  }

  /**
   * Looks only as far as it must, and counts jobs only after the change is written: counting may be
   * slow, just when a queue has to be paused.
   */
  private boolean change(String queue, Runnable change) {
    QueueStore.Rule rule = queues.rules().getOrDefault(Names.queue(queue), QueueStore.Rule.NONE);
    boolean known = !rule.equals(QueueStore.Rule.NONE) || queues.isDeclared(queue);
    change.run();
    bus.publish(new Signal.QueueChanged(queue));
    return known || hasJobs(queue);
  }

  private boolean hasJobs(String queue) {
    return find(queue)
        .filter(status -> status.ready() + status.held() + status.scheduled() > 0)
        .isPresent();
  }

  @Override
  public void limit(String queue, int most) {
    if (most < 1) {
      throw new IllegalArgumentException(
          "A limit of %d for queue '%s' is not valid: use at least 1, or pause the queue."
              .formatted(most, queue));
    }
    queues.limit(Names.queue(queue), most);
    bus.publish(new Signal.QueueChanged(queue));
  }

  @Override
  public boolean unlimit(String queue) {
    QueueStore.Rule rule = queues.rules().get(Names.queue(queue));
    queues.limit(queue, null);
    bus.publish(new Signal.QueueChanged(queue));
    return rule != null && rule.limit() != null;
  }

  @Override
  public Optional<QueueStatus> find(String queue) {
    String name = Names.queue(queue);
    return list().stream().filter(status -> status.name().equals(name)).findFirst();
  }

  @Override
  public List<QueueStatus> list() {
    return queues.list();
  }
}
