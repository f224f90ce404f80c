package dev.holdfast.server.stream;

import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunId;
import dev.holdfast.server.http.EventSource;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One client that watches.
 *
 * <p>It first replays the stored events of its runs, at the pace of the client, and then gets new
 * ones from the feed. A client that is more than 64 events behind the feed is ended; it can resume
 * where it was.
 */
public final class Subscription implements EventSource {
  private static final int BEHIND = 64;

  private final Feed feed;
  private final Topics topics;
  private final Runnable onClose;
  private final Map<RunId, Long> positions;
  private final Set<RunId> open;
  private final Set<String> snapshots = ConcurrentHashMap.newKeySet();
  private final BlockingQueue<Item> queue = new ArrayBlockingQueue<>(BEHIND);
  private final Queue<Event> replayed = new ArrayDeque<>();
  private final AtomicBoolean closed = new AtomicBoolean();
  private volatile boolean ended;
  private boolean live;

  /** Something that the feed hands over: an event of a run, or a snapshot. */
  private record Item(@Nullable RunId run, @Nullable RunEvent event, Event ready) {}

  Subscription(Feed feed, Topics topics, Runnable onClose) {
    this.feed = feed;
    this.topics = topics;
    this.onClose = onClose;
    this.positions = new LinkedHashMap<>(topics.runs());
    this.open = new HashSet<>(topics.runs().keySet());
  }

  Set<RunId> runs() {
    return topics.runs().keySet();
  }

  boolean watchesJobs() {
    return topics.jobs();
  }

  boolean watchesNodes() {
    return topics.nodes();
  }

  void offer(RunId run, List<RunEvent> events) {
    if (!topics.runs().containsKey(run)) {
      return;
    }
    for (RunEvent event : events) {
      put(new Item(run, event, new Event(null, "", "")));
    }
  }

  /** A client gets the first snapshot in any case, and later ones when they differ. */
  void offerSnapshot(String name, String json, boolean changed) {
    if (snapshots.add(name) || changed) {
      put(new Item(null, null, new Event(null, name, json)));
    }
  }

  private void put(Item item) {
    if (!queue.offer(item)) {
      ended = true; // Too slow: the client resumes where it was.
    }
  }

  @Override
  public void end() {
    ended = true;
    // Wakes the reader; if there is no room, it is awake.
    queue.offer(new Item(null, null, new Event(null, "bye", "{}")));
  }

  @Override
  public Optional<Event> next(Duration atMost) throws InterruptedException {
    if (!live && replayed.isEmpty()) {
      replay();
    }
    Event stored = replayed.poll();
    if (stored != null) {
      return Optional.of(stored);
    }
    long deadline = System.nanoTime() + atMost.toNanos();
    while (true) {
      Item item = queue.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
      if (item == null) {
        return Optional.empty();
      }
      if (item.run() == null || item.event() == null) {
        return Optional.of(
            new Event(Topics.eventId(positions), item.ready().name(), item.ready().data()));
      }
      if (item.event().seq() > positions.getOrDefault(item.run(), 0L)) {
        return Optional.of(event(item.run(), item.event()));
      }
    }
  }

  /**
   * Reads a page of stored events. When there are no more, joins the feed and reads once again:
   * what was written in between is in this page or comes from the feed.
   */
  private void replay() {
    if (readPage()) {
      return;
    }
    feed.add(this, positions);
    live = true;
    while (readPage()) {
      // Until nothing is left that the feed may have passed before this client joined.
    }
  }

  private boolean readPage() {
    boolean any = false;
    for (RunId run : topics.runs().keySet()) {
      for (RunEvent event : feed.events(run, positions.getOrDefault(run, 0L))) {
        replayed.add(event(run, event));
        any = true;
      }
    }
    return any;
  }

  private Event event(RunId run, RunEvent event) {
    positions.put(run, event.seq());
    if (event.kind() == RunEvent.Kind.ENDED) {
      open.remove(run);
    } else if (event.kind() == RunEvent.Kind.RETRIED) {
      open.add(run);
    }
    String data = feed.text(event);
    // The run is the first field, so that one connection can watch several.
    return new Event(
        Topics.eventId(positions), "run", "{\"run\":\"%s\",%s".formatted(run, data.substring(1)));
  }

  /**
   * A client that watches only runs is done when all of them have ended. One that was ended resumes
   * after what it has got, so what is left for it here is not needed.
   */
  @Override
  public boolean isEnded() {
    boolean runsOnly = !topics.jobs() && !topics.nodes();
    boolean done = live && runsOnly && open.isEmpty() && queue.isEmpty() && replayed.isEmpty();
    return ended || done;
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      feed.remove(this);
      onClose.run();
    }
  }
}
