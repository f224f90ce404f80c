package dev.holdfast.server.stream;

import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunId;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the nodes of the installation every two seconds while clients watch them. The load of a
 * node is known only from its heartbeats, which are not announced by signals.
 */
final class NodeFeed implements Feed {
  private static final Duration EVERY = Duration.ofSeconds(2);
  private static final Logger log = LoggerFactory.getLogger(NodeFeed.class);

  private final Supplier<String> view;
  private final List<Subscription> subscriptions = new CopyOnWriteArrayList<>();
  private @Nullable Thread reader;
  private @Nullable String sent;

  NodeFeed(Supplier<String> view) {
    this.view = view;
  }

  @Override
  public synchronized void add(Subscription subscription, Map<RunId, Long> from) {
    subscriptions.add(subscription);
    if (sent != null) {
      subscription.offerSnapshot(Topics.NODES, sent, false);
    }
    if (reader == null) {
      reader = Thread.ofVirtual().name("holdfast-feed-nodes").start(this::read);
    }
  }

  @Override
  public void remove(Subscription subscription) {
    subscriptions.remove(subscription);
  }

  @Override
  public List<RunEvent> events(RunId run, long after) {
    return List.of();
  }

  @Override
  public String text(RunEvent event) {
    throw new IllegalStateException("The installation has no runs");
  }

  private void read() {
    while (goesOn()) {
      try {
        look();
      } catch (RuntimeException failure) {
        log.warn("Nodes could not be read, trying again: {}", failure.getMessage());
      }
      try {
        Thread.sleep(EVERY);
      } catch (InterruptedException stopped) {
        return;
      }
    }
  }

  private synchronized boolean goesOn() {
    if (!subscriptions.isEmpty()) {
      return true;
    }
    reader = null;
    sent = null;
    return false;
  }

  private void look() {
    String now = view.get();
    synchronized (this) {
      boolean differs = !now.equals(sent);
      sent = now;
      subscriptions.forEach(each -> each.offerSnapshot(Topics.NODES, now, differs));
    }
  }

  @Override
  public synchronized void close() {
    subscriptions.forEach(Subscription::end);
    if (reader != null) {
      reader.interrupt();
    }
  }
}
