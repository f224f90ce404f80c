package dev.holdfast.server.stream;

import dev.holdfast.server.tenant.OpenTenant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The feeds that are watched: those of tenants, and that of the installation. */
public final class Feeds implements AutoCloseable {
  private static final int MOST_CLIENTS = 2_000;

  /** Prevents one tenant from using all of the allowed clients. */
  static final int MOST_OF_TENANT = 500;

  private static final Object INSTALLATION = new Object();

  private final FeedViews views;
  private final Map<Object, Watched> watched = new HashMap<>();
  private int clients;
  private boolean closed;

  /** A feed and how many clients it has. */
  private static final class Watched {
    private final Feed feed;
    private int clients;

    Watched(Feed feed) {
      this.feed = feed;
    }
  }

  public Feeds(FeedViews views) {
    this.views = views;
  }

  /**
   * Adds a client of a tenant; it counts until it is closed.
   *
   * @return the client; null if there are too many, or the server stops
   */
  public @Nullable Subscription subscribe(OpenTenant tenant, Topics topics) {
    return subscribe(tenant, topics, () -> new TenantFeed(tenant, views));
  }

  /**
   * Adds a client that watches the nodes of the installation; it counts until it is closed.
   *
   * @return the client; null if there are too many, or the server stops
   */
  public @Nullable Subscription subscribeToNodes() {
    return subscribe(INSTALLATION, Topics.onlyNodes(), () -> new NodeFeed(views.allNodes()));
  }

  private synchronized @Nullable Subscription subscribe(
      Object key, Topics topics, Supplier<Feed> newFeed) {
    Watched known = watched.get(key);
    if (closed || clients >= MOST_CLIENTS || (known != null && known.clients >= MOST_OF_TENANT)) {
      return null;
    }
    Watched feed = known == null ? new Watched(newFeed.get()) : known;
    watched.put(key, feed);
    feed.clients++;
    clients++;
    return new Subscription(feed.feed, topics, () -> leave(key, feed));
  }

  private synchronized void leave(Object key, Watched feed) {
    clients--;
    feed.clients--;
    if (feed.clients == 0) {
      watched.remove(key, feed);
    }
  }

  /** Returns how many clients watch. */
  public synchronized int clients() {
    return clients;
  }

  /** Returns how many feeds there are: none without clients. */
  synchronized int size() {
    return watched.size();
  }

  @Override
  public void close() {
    List<Feed> all;
    synchronized (this) {
      closed = true;
      all = watched.values().stream().map(each -> each.feed).toList();
    }
    all.forEach(Feed::close);
  }
}
