package dev.holdfast.server.stream;

import dev.holdfast.api.UnknownRunException;
import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.server.tenant.OpenTenant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads what the clients of a tenant watch, once for all of them, and hands it to each. It reads
 * only while there are clients.
 */
final class TenantFeed {
  static final int PAGE = 200;
  private static final Duration TICK = Duration.ofMillis(500);
  private static final int SNAPSHOT_TICKS = 4;
  private static final Logger log = LoggerFactory.getLogger(TenantFeed.class);

  private final OpenTenant tenant;
  private final FeedViews views;
  private final List<Subscription> subscriptions = new CopyOnWriteArrayList<>();
  private final Map<RunId, Long> positions = new HashMap<>();
  private final Map<String, String> sent = new HashMap<>();
  private @Nullable Thread reader;

  TenantFeed(OpenTenant tenant, FeedViews views) {
    this.tenant = tenant;
    this.views = views;
  }

  FeedViews views() {
    return views;
  }

  OpenTenant tenant() {
    return tenant;
  }

  /** Returns the events of a run after a position; none if the run is gone. */
  List<RunEvent> events(RunId run, long after) {
    try {
      return tenant.client().runs().events(run, after, PAGE);
    } catch (UnknownRunException gone) {
      return List.of();
    }
  }

  /**
   * Adds a client. From now on it gets all events after its positions, and perhaps some before,
   * which it ignores.
   */
  synchronized void add(Subscription subscription, Map<RunId, Long> from) {
    from.forEach(positions::putIfAbsent);
    subscriptions.add(subscription);
    if (reader == null) {
      reader = Thread.ofVirtual().name("holdfast-feed-" + tenant.tenant().name()).start(this::read);
    }
  }

  synchronized void remove(Subscription subscription) {
    subscriptions.remove(subscription);
    Set<RunId> watched =
        subscriptions.stream().flatMap(s -> s.runs().stream()).collect(Collectors.toSet());
    positions.keySet().retainAll(watched);
  }

  private void read() {
    int tick = 0;
    while (goesOn()) {
      try {
        readRuns();
        if (tick++ % SNAPSHOT_TICKS == 0) {
          snapshot("jobs", Subscription::watchesJobs, () -> views.jobs().apply(tenant));
          snapshot("nodes", Subscription::watchesNodes, () -> views.nodes().apply(tenant));
        }
      } catch (RuntimeException failure) {
        log.warn(
            "Feed of tenant {} could not be read, trying again: {}",
            tenant.tenant().name(),
            failure.getMessage());
      }
      try {
        Thread.sleep(TICK);
      } catch (InterruptedException stopped) {
        return;
      }
    }
  }

  /**
   * The last client decides under the same lock that a new one takes, so no client is left alone.
   */
  private synchronized boolean goesOn() {
    if (!subscriptions.isEmpty()) {
      return true;
    }
    reader = null;
    sent.clear();
    return false;
  }

  private void readRuns() {
    Map<RunId, Long> wanted;
    synchronized (this) {
      wanted = Map.copyOf(positions);
    }
    wanted.forEach((run, after) -> {
      List<RunEvent> fresh = events(run, after);
      if (fresh.isEmpty()) {
        return;
      }
      subscriptions.forEach(subscription -> subscription.offer(run, fresh));
      synchronized (this) {
        positions.computeIfPresent(run, (any, at) -> Math.max(at, fresh.getLast().seq()));
      }
    });
  }

  private void snapshot(
      String name,
      java.util.function.Predicate<Subscription> watches,
      java.util.function.Supplier<String> view) {
    List<Subscription> clients = new ArrayList<>(subscriptions);
    clients.removeIf(watches.negate());
    if (clients.isEmpty()) {
      return;
    }
    String now = view.get();
    boolean changed = !now.equals(sent.put(name, now));
    for (Subscription client : clients) {
      client.offerSnapshot(name, now, changed);
    }
  }

  void close() {
    subscriptions.forEach(Subscription::end);
    synchronized (this) {
      if (reader != null) {
        reader.interrupt();
      }
    }
  }
}
