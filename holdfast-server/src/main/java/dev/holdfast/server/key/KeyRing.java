package dev.holdfast.server.key;

import dev.holdfast.api.StoreException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All keys of the installation, in memory.
 *
 * <p>A wrong key is hashed and compared like a right one, and nothing is read from the database for
 * it, so the time of a response reveals nothing about why a key was refused.
 *
 * <p>A request that finds the last confirmation older than four seconds reads the version of the
 * keys first; requests that arrive meanwhile wait for the same read. So a revoked key is refused
 * everywhere within five seconds, and an idle server asks nothing.
 */
public final class KeyRing implements Keys {
  /** How long a confirmation counts. */
  static final Duration CONFIRMED_FOR = Duration.ofSeconds(4);

  private static final Logger log = LoggerFactory.getLogger(KeyRing.class);
  private static final byte[] NO_HASH = KeyText.hash("");

  private final KeyStore store;
  private final InstantSource clock;
  private final LongSupplier nanos;
  private final ReentrantLock checking = new ReentrantLock();
  private final Map<String, Instant> used = new ConcurrentHashMap<>();
  private volatile Known known = new Known(-1, Map.of(), 0);

  /** The keys as of a version, and when that version was confirmed to be the latest. */
  private record Known(long version, Map<String, KeyStore.Hashed> keys, long confirmedAt) {
    boolean isFresh(long now) {
      return version >= 0 && now - confirmedAt < CONFIRMED_FOR.toNanos();
    }
  }

  public KeyRing(KeyStore store, InstantSource clock, LongSupplier nanos) {
    this.store = store;
    this.clock = clock;
    this.nanos = nanos;
  }

  /**
   * Identifies a caller.
   *
   * @param presented the key as presented; null if none was
   * @param tenant the tenant that the request is for; null if it is for none
   * @return the caller; empty if the key is not valid for this tenant, whatever the reason
   * @throws StoreException if the keys cannot be confirmed, because the database is unavailable
   */
  @Override
  public Optional<Caller> authenticate(@Nullable String presented, @Nullable String tenant) {
    confirm();
    String text = presented == null ? "" : presented;
    Optional<KeyText> parsed = KeyText.parse(text);
    KeyStore.Hashed found = known.keys().get(parsed.map(KeyText::id).orElse(""));
    byte[] hash = KeyText.hash(text);
    boolean same = found == null ? isNoKey(hash) : found.hasHash(hash);
    if (!same || found == null) {
      return Optional.empty();
    }
    Instant now = clock.instant();
    ApiKey key = found.key();
    if (!isValid(key, tenant, now)) {
      return Optional.empty();
    }
    used.put(key.id(), now);
    return Optional.of(key.caller());
  }

  private static boolean isValid(ApiKey key, @Nullable String tenant, Instant now) {
    boolean here = key.tenant() == null || tenant == null || key.tenant().equals(tenant);
    return here && key.isValid(now);
  }

  /**
   * Returns whether a key that was authenticated is still valid.
   *
   * @param id the id of the key
   * @param tenant the tenant that it is used in; null for none
   * @throws StoreException if the keys cannot be confirmed, because the database is unavailable
   */
  @Override
  public boolean isValid(String id, @Nullable String tenant) {
    confirm();
    KeyStore.Hashed found = known.keys().get(id);
    return found != null && isValid(found.key(), tenant, clock.instant());
  }

  /** Costs as much as the comparison with a stored hash; no key has this one. */
  private static boolean isNoKey(byte[] hash) {
    return MessageDigest.isEqual(hash, NO_HASH);
  }

  /** Makes sure that the keys in memory were the latest at most four seconds ago. */
  private void confirm() {
    if (known.isFresh(nanos.getAsLong())) {
      return;
    }
    checking.lock();
    try {
      // Before the read: a change that commits during the read may be missed by it.
      long now = nanos.getAsLong();
      if (known.isFresh(now)) {
        return;
      }
      if (known.version() >= 0 && store.version() == known.version()) {
        known = new Known(known.version(), known.keys(), now);
      } else {
        load(now);
      }
    } finally {
      checking.unlock();
    }
  }

  private void load(long now) {
    KeyStore.Loaded loaded = store.load();
    Map<String, KeyStore.Hashed> keys = new HashMap<>();
    loaded.keys().forEach(hashed -> keys.put(hashed.key().id(), hashed));
    known = new Known(loaded.version(), Map.copyOf(keys), now);
  }

  /** Reads the keys again, after this server has changed them. */
  public void reload() {
    checking.lock();
    try {
      load(nanos.getAsLong());
    } finally {
      checking.unlock();
    }
  }

  /** Writes when keys were used last. Called about once a minute. */
  public void flushLastUsed() {
    Map<String, Instant> times = Map.copyOf(used);
    if (times.isEmpty()) {
      return;
    }
    try {
      store.used(times);
      times.forEach(used::remove);
    } catch (StoreException failure) {
      log.warn(
          "Could not record when {} keys were used, retrying in a minute: {}",
          times.size(),
          failure.getMessage());
    }
  }
}
