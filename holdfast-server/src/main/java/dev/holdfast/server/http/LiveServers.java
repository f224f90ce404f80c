package dev.holdfast.server.http;

import dev.holdfast.api.StoreException;
import dev.holdfast.server.control.ControlDatabase;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How many servers share the requests of limited keys. A server that receives such requests leaves
 * a sign every five seconds; one that has left none for fifteen does not count. So nothing is
 * written while no limited key is used.
 */
public final class LiveServers implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(LiveServers.class);
  private static final Duration FRESH = Duration.ofSeconds(5);
  private static final String PREFIX = "api-server ";

  private final ControlDatabase database;
  private final LongSupplier nanos;
  private final String name = PREFIX + UUID.randomUUID();
  private final ReentrantLock asking = new ReentrantLock();
  private volatile Seen seen = new Seen(1, null);

  private record Seen(int servers, @org.jspecify.annotations.Nullable Long at) {}

  public LiveServers(ControlDatabase database, LongSupplier nanos) {
    this.database = database;
    this.nanos = nanos;
  }

  /** Returns how many there are, this one included. */
  public int count() {
    long now = nanos.getAsLong();
    Seen last = seen;
    boolean fresh = last.at() != null && now - last.at() < FRESH.toNanos();
    // Others go on with the last number while one asks.
    if (!fresh && asking.tryLock()) {
      try {
        seen = new Seen(ask(), now);
      } catch (StoreException away) {
        log.debug("The servers could not be counted: {}", away.getMessage());
      } finally {
        asking.unlock();
      }
    }
    return seen.servers();
  }

  private int ask() {
    return database.transaction(
        "count the servers",
        statements -> {
          // By version_pkey. The number of such a row is when its server left a sign.
          statements
              .update(
                  """
                  insert into ${schema}.version values (:name, extract(epoch from now())::bigint)
                  on conflict (name) do update set number = excluded.number
                  """)
              .bind("name", name)
              .execute();
          statements
              .update(
                  """
                  delete from ${schema}.version
                  where name like :prefix and number < extract(epoch from now()) - 3600
                  """)
              .bind("prefix", PREFIX + "%")
              .execute();
          return Math.max(
              1,
              statements
                  .query(
                      """
                      select count(*) from ${schema}.version
                      where name like :prefix and number >= extract(epoch from now()) - 15
                      """)
                  .bind("prefix", PREFIX + "%")
                  .mapTo(Integer.class)
                  .one());
        });
  }

  @Override
  public void close() {
    if (seen.at() == null) {
      return;
    }
    try {
      database.run(
          "leave the servers",
          statements ->
              statements
                  .update("delete from ${schema}.version where name = :name")
                  .bind("name", name)
                  .execute());
    } catch (StoreException away) {
      log.debug("This server counts for some more seconds: {}", away.getMessage());
    }
  }
}
