package dev.holdfast.server.stream;

import dev.holdfast.api.Page;
import dev.holdfast.api.UnknownRunException;
import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.notify.SignalBus;
import dev.holdfast.server.tenant.OpenTenant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads what the clients of a tenant watch, once for all of them, and hands it to each. It tells
 * the nodes what is watched, and reads it when they announce a change; otherwise only twice a
 * minute, in case a signal was lost. Without clients it does nothing.
 */
final class TenantFeed implements Feed {
  static final int PAGE = 200;
  private static final Duration IDLE = Duration.ofSeconds(30);

  /** What a node runs is known from its heartbeats only. */
  private static final Duration NODES_IDLE = Duration.ofSeconds(10);

  private static final Duration UNHEARD = Duration.ofMillis(500);
  private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);

  /** After a watch was announced, nodes that have not heard of it yet may change what it is of. */
  private static final Duration SETTLING = Duration.ofSeconds(1);

  private static final Duration WHILE_SETTLING = Duration.ofMillis(200);

  /** Between two looks, so that a flood of signals costs a bounded number of reads. */
  private static final Duration BETWEEN = Duration.ofMillis(20);

  private static final Logger log = LoggerFactory.getLogger(TenantFeed.class);

  private final OpenTenant tenant;
  private final FeedViews views;
  private final List<Subscription> subscriptions = new CopyOnWriteArrayList<>();
  private final Map<RunId, Long> positions = new HashMap<>();
  private final Set<RunId> changed = new HashSet<>();
  private final Map<String, Pace> paces = new HashMap<>();
  private final Map<String, String> sent = new ConcurrentHashMap<>();
  private final Semaphore bell = new Semaphore(0);
  private @Nullable Thread reader;
  private @Nullable SignalBus bus;
  private long announcedAt = System.nanoTime() - IDLE.toNanos();
  private long readAllAt = announcedAt;

  /** A snapshot that clients can watch. */
  private enum Snapshot {
    JOBS("jobs"),
    NODES(Topics.NODES);

    private final String topic;

    Snapshot(String topic) {
      this.topic = topic;
    }

    boolean isWatchedBy(Subscription client) {
      return switch (this) {
        case JOBS -> client.watchesJobs();
        case NODES -> client.watchesNodes();
      };
    }

    String view(FeedViews views, OpenTenant tenant) {
      return switch (this) {
        case JOBS -> views.jobs().apply(tenant);
        case NODES -> views.nodes().apply(tenant);
      };
    }
  }

  TenantFeed(OpenTenant tenant, FeedViews views) {
    this.tenant = tenant;
    this.views = views;
  }

  @Override
  public String text(RunEvent event) {
    return views.event().apply(event);
  }

  @Override
  public List<RunEvent> events(RunId run, long after) {
    try {
      return tenant.client().runs().events(run, Page.after(after, PAGE));
    } catch (UnknownRunException gone) {
      return List.of();
    }
  }

  @Override
  public synchronized void add(Subscription subscription, Map<RunId, Long> from) {
    boolean news = from.keySet().stream().anyMatch(run -> !positions.containsKey(run));
    from.forEach(positions::putIfAbsent);
    subscriptions.add(subscription);
    for (Snapshot snapshot : Snapshot.values()) {
      String known = sent.get(snapshot.topic);
      if (!snapshot.isWatchedBy(subscription)) {
        continue;
      }
      if (known == null) {
        news = true;
      } else {
        subscription.offerSnapshot(snapshot.topic, known, false);
      }
    }
    if (reader == null) {
      bus = new SignalBus(tenant.signals());
      bus.subscribe(this::hear);
      reader = Thread.ofVirtual().name("holdfast-feed-" + tenant.tenant().name()).start(this::read);
      news = true;
    }
    if (news) {
      announce();
      bell.release();
    }
  }

  /** Tells the nodes what is watched. They forget it after two minutes. */
  private synchronized void announce() {
    SignalBus to = bus;
    if (to == null) {
      return;
    }
    announcedAt = System.nanoTime();
    positions.keySet().forEach(run -> to.publish(new Signal.Watched(Signal.run(run))));
    if (subscriptions.stream().anyMatch(Subscription::watchesJobs)) {
      to.publish(new Signal.Watched(Signal.JOBS));
    }
  }

  private void hear(Signal signal) {
    boolean wakes =
        switch (signal) {
          case Signal.Changed(String topic) -> changed(topic);
          case Signal.NewWork work -> noted(Snapshot.JOBS);
          case Signal.Scheduled scheduled -> noted(Snapshot.JOBS);
          case Signal.QueueChanged queue -> noted(Snapshot.JOBS);
          case Signal.NodeJoined joined -> joined();
          case Signal.NodeDied died -> noted(Snapshot.NODES);
          case Signal.SignalsMissed missed -> missed();
          case Signal.TaskChanged task -> false;
          case Signal.HeartbeatRequested call -> false;
          case Signal.RunsMarked marked -> false;
          case Signal.ResultAwaited awaited -> false;
          case Signal.JobEnded ended -> false;
          case Signal.Watched watched -> false;
          case Signal.SchedulesChanged schedules -> false;
          case Signal.InTenant other -> false;
        };
    if (wakes) {
      bell.release();
    }
  }

  private synchronized boolean changed(String topic) {
    if (topic.equals(Signal.JOBS)) {
      return noted(Snapshot.JOBS);
    }
    for (RunId run : positions.keySet()) {
      if (Signal.run(run).equals(topic)) {
        return changed.add(run);
      }
    }
    return false;
  }

  private synchronized boolean noted(Snapshot snapshot) {
    Pace pace = paces.get(snapshot.topic);
    if (pace != null) {
      pace.changed(System.nanoTime());
    }
    return pace != null;
  }

  /** A node that has just joined does not know what is watched. */
  private synchronized boolean joined() {
    announcedAt = System.nanoTime() - IDLE.toNanos();
    noted(Snapshot.NODES);
    return true;
  }

  private synchronized boolean missed() {
    changed.addAll(positions.keySet());
    noted(Snapshot.JOBS);
    noted(Snapshot.NODES);
    return true;
  }

  @Override
  public synchronized void remove(Subscription subscription) {
    subscriptions.remove(subscription);
    Set<RunId> watched =
        subscriptions.stream().flatMap(s -> s.runs().stream()).collect(Collectors.toSet());
    positions.keySet().retainAll(watched);
    changed.retainAll(watched);
    bell.release(); // So that a feed without clients ends.
  }

  private void read() {
    while (goesOn()) {
      Duration wait;
      try {
        look();
        wait = untilNext();
      } catch (RuntimeException failure) {
        log.warn(
            "Feed of tenant {} could not be read, trying again: {}",
            tenant.tenant().name(),
            failure.getMessage());
        wait = AFTER_FAILURE;
      }
      try {
        Thread.sleep(BETWEEN);
        boolean called = bell.tryAcquire(wait.minus(BETWEEN).toNanos(), TimeUnit.NANOSECONDS);
        if (called) {
          bell.drainPermits();
        }
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
    if (bus != null) {
      bus.close();
      bus = null;
    }
    sent.clear();
    paces.clear();
    changed.clear();
    return false;
  }

  private void look() {
    long now = System.nanoTime();
    if (now - announcedAt >= IDLE.toNanos()) {
      announce();
    }
    readRuns(now);
    for (Snapshot snapshot : Snapshot.values()) {
      look(snapshot, now);
    }
  }

  private synchronized Duration untilNext() {
    long now = System.nanoTime();
    Duration next = positions.isEmpty() ? IDLE : runsEvery(now);
    for (Pace pace : paces.values()) {
      Duration due = pace.untilDue(now);
      next = due.compareTo(next) < 0 ? due : next;
    }
    return changed.isEmpty() ? next : Duration.ZERO;
  }

  /** Returns how often runs are read although nothing is known to have changed. */
  private Duration runsEvery(long now) {
    if (bus != null && !bus.hearsOthers()) {
      return UNHEARD;
    }
    return now - announcedAt < SETTLING.toNanos() ? WHILE_SETTLING : IDLE;
  }

  private void readRuns(long now) {
    Map<RunId, Long> wanted = new HashMap<>();
    synchronized (this) {
      boolean all = now - readAllAt >= runsEvery(now).toNanos();
      readAllAt = all ? now : readAllAt;
      positions.forEach((run, after) -> {
        if (all || changed.contains(run)) {
          wanted.put(run, after);
        }
      });
      changed.clear();
    }
    wanted.forEach((run, after) -> {
      List<RunEvent> fresh = events(run, after);
      if (fresh.isEmpty()) {
        return;
      }
      subscriptions.forEach(subscription -> subscription.offer(run, fresh));
      synchronized (this) {
        positions.computeIfPresent(run, (any, at) -> Math.max(at, fresh.getLast().seq()));
        if (fresh.size() >= PAGE && positions.containsKey(run)) {
          changed.add(run);
        }
      }
    });
  }

  private void look(Snapshot snapshot, long now) {
    List<Subscription> clients = new ArrayList<>(subscriptions);
    clients.removeIf(client -> !snapshot.isWatchedBy(client));
    synchronized (this) {
      if (clients.isEmpty()) {
        paces.remove(snapshot.topic);
        sent.remove(snapshot.topic);
        return;
      }
      boolean heard = bus == null || bus.hearsOthers();
      Pace pace =
          paces.computeIfAbsent(
              snapshot.topic, any -> new Pace(snapshot == Snapshot.NODES ? NODES_IDLE : IDLE));
      pace.clients(clients.size());
      if (!heard) {
        pace.changed(now); // So looks go on, ever more rarely.
      }
      if (pace.untilDue(now).isPositive()) {
        return;
      }
      pace.looks(now);
    }
    String view = snapshot.view(views, tenant);
    synchronized (this) {
      Pace pace = paces.get(snapshot.topic);
      if (pace != null) {
        pace.lookedUntil(System.nanoTime());
      }
    }
    boolean differs = !view.equals(sent.put(snapshot.topic, view));
    for (Subscription client : clients) {
      client.offerSnapshot(snapshot.topic, view, differs);
    }
  }

  @Override
  public void close() {
    subscriptions.forEach(Subscription::end);
    synchronized (this) {
      if (reader != null) {
        reader.interrupt();
      }
    }
  }
}
