package dev.holdfast.server.audit;

import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Requests of valid keys that were refused, because the key may not do what it asked for. Those of
 * a key in one minute are one entry of the audit log, written when the minute is over: a program
 * that repeats a refused request would fill the log otherwise. A server that dies loses those of
 * its last minute.
 */
public final class Refusals {
  private static final Logger log = LoggerFactory.getLogger(Refusals.class);
  private static final int MOST = 10_000;
  private static final int MOST_ROUTES = 20;
  private static final String OTHER = "other";

  private final AuditLog audit;
  private final InstantSource clock;
  private final Map<Minute, Tally> tallies = new ConcurrentHashMap<>();

  /** The requests of a key to a tenant in a minute. */
  private record Minute(@Nullable String tenant, String key, Instant start) {}

  /** How often which routes were refused; the first request stands for all. */
  private static final class Tally {
    private final Actor first;
    private final Map<String, Integer> routes = new TreeMap<>();

    Tally(Actor first) {
      this.first = first;
    }

    synchronized void add(String route) {
      routes.merge(
          routes.size() < MOST_ROUTES || routes.containsKey(route) ? route : OTHER,
          1,
          Integer::sum);
    }

    /** Routes contain nothing that would have to be escaped. */
    synchronized String json() {
      StringBuilder json = new StringBuilder("{\"count\":");
      json.append(routes.values().stream().mapToInt(Integer::intValue).sum());
      json.append(",\"routes\":{");
      String separator = "";
      for (Map.Entry<String, Integer> route : routes.entrySet()) {
        json.append(separator).append('"').append(route.getKey()).append("\":");
        json.append(route.getValue());
        separator = ",";
      }
      return json.append("}}").toString();
    }
  }

  public Refusals(AuditLog audit, InstantSource clock) {
    this.audit = audit;
    this.clock = clock;
  }

  /**
   * Notes a refused request.
   *
   * @param route the route, without the values of its parameters
   */
  public void note(Actor actor, String route) {
    if (actor.key() == null || tallies.size() > MOST) {
      return;
    }
    Minute minute =
        new Minute(actor.tenant(), actor.key(), clock.instant().truncatedTo(ChronoUnit.MINUTES));
    tallies.computeIfAbsent(minute, any -> new Tally(actor)).add(route);
  }

  /**
   * Writes what is complete.
   *
   * @param all whether the current minute is complete too, because the server stops
   */
  public void flush(boolean all) {
    Instant now = clock.instant().truncatedTo(ChronoUnit.MINUTES);
    for (Minute minute : List.copyOf(tallies.keySet())) {
      Tally tally = all || minute.start().isBefore(now) ? tallies.remove(minute) : null;
      if (tally != null) {
        try {
          audit.refused(tally.first, tally.json());
        } catch (RuntimeException failure) {
          log.warn(
              "Refused requests of {} are missing in the audit log, they could not be written: {}",
              minute.start(),
              failure.getMessage());
        }
      }
    }
  }
}
