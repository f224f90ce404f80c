package dev.holdfast.server.stream;

import dev.holdfast.server.tenant.OpenTenant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** The feeds of all tenants that are watched. */
public final class Feeds implements AutoCloseable {
  private static final int MOST_CLIENTS = 2_000;

  private final FeedViews views;
  private final Map<OpenTenant, TenantFeed> feeds = new HashMap<>();
  private final AtomicInteger clients = new AtomicInteger();
  private boolean closed;

  public Feeds(FeedViews views) {
    this.views = views;
  }

  /**
   * Adds a client; it counts until it is closed.
   *
   * @return the client; null if there are too many, or the server stops
   */
  public synchronized @org.jspecify.annotations.Nullable Subscription subscribe(
      OpenTenant tenant, Topics topics) {
    if (closed || clients.get() >= MOST_CLIENTS) {
      return null;
    }
    clients.incrementAndGet();
    TenantFeed feed = feeds.computeIfAbsent(tenant, any -> new TenantFeed(tenant, views));
    return new Subscription(feed, topics, clients::decrementAndGet);
  }

  /** Returns how many clients watch. */
  public int clients() {
    return clients.get();
  }

  @Override
  public void close() {
    List<TenantFeed> all;
    synchronized (this) {
      closed = true;
      all = List.copyOf(feeds.values());
    }
    all.forEach(TenantFeed::close);
  }
}
