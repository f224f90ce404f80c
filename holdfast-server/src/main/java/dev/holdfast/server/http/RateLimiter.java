package dev.holdfast.server.http;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/** Limits the requests of each key and tenant: a bucket of tokens that refills steadily. */
final class RateLimiter {
  private static final double NANOS = 1_000_000_000.0;
  private static final int MOST_BUCKETS = 100_000;

  private final LongSupplier nanos;
  private final Map<String, Bucket> buckets = new ConcurrentHashMap<>();

  /** Whose requests are counted together. */
  enum Whose {
    KEY("The key"),
    TENANT("The tenant, with all its keys together,");

    private final String text;

    Whose(String text) {
      this.text = text;
    }
  }

  RateLimiter(LongSupplier nanos) {
    this.nanos = nanos;
  }

  private static final class Bucket {
    private double tokens;
    private long at;

    Bucket(double tokens, long at) {
      this.tokens = tokens;
      this.at = at;
    }

    /** Takes a token; returns how long to wait if there is none. */
    synchronized Duration take(double perSecond, long now) {
      tokens = Math.min(Math.max(1, perSecond), tokens + (now - at) / NANOS * perSecond);
      at = now;
      if (tokens >= 1) {
        tokens -= 1;
        return Duration.ZERO;
      }
      return Duration.ofNanos((long) ((1 - tokens) / perSecond * NANOS));
    }
  }

  /**
   * Counts a request.
   *
   * @param perSecond how many requests a second are allowed; as many may come at once
   * @param servers how many servers share them; each allows its part, and one at once in any case
   * @throws ProblemException if there are too many
   */
  void check(Whose whose, String id, int perSecond, int servers) {
    long now = nanos.getAsLong();
    if (buckets.size() > MOST_BUCKETS) {
      buckets.clear();
    }
    double share = (double) perSecond / servers;
    Duration wait =
        buckets
            .computeIfAbsent(whose + " " + id, any -> new Bucket(Math.max(1, share), now))
            .take(share, now);
    if (!wait.isZero()) {
      throw new ProblemException(
          Response.Problem.of(
                  Code.RATE_LIMITED,
                  "%s may make %d requests a second: wait and try again."
                      .formatted(whose.text, perSecond))
              .retryAfter(wait));
    }
  }
}
