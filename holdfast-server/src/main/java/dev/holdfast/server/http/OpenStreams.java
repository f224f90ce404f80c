package dev.holdfast.server.http;

import dev.holdfast.api.StoreException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The streams that are open. A request is admitted once and a stream lasts, so this asks every
 * second whether each would still be admitted, and ends those that would not. Without streams it
 * asks nothing.
 */
final class OpenStreams {
  /** Together with the age of what is known about keys, at most five seconds. */
  private static final Duration EVERY = Duration.ofSeconds(1);

  private static final Logger log = LoggerFactory.getLogger(OpenStreams.class);

  private final Set<Guarded> open = new HashSet<>();
  private @Nullable Thread checker;

  /** A stream, and whether it would still be admitted. */
  private final class Guarded implements EventSource {
    private final EventSource events;
    private final BooleanSupplier admitted;

    Guarded(EventSource events, BooleanSupplier admitted) {
      this.events = events;
      this.admitted = admitted;
    }

    @Override
    public Optional<Event> next(Duration atMost) throws InterruptedException {
      return events.next(atMost);
    }

    @Override
    public void end() {
      events.end();
    }

    @Override
    public boolean isEnded() {
      return events.isEnded();
    }

    @Override
    public void close() {
      remove(this);
      events.close();
    }
  }

  /** Returns a stream with the same events, which ends when it would no longer be admitted. */
  synchronized Response.Stream guard(Response.Stream stream, BooleanSupplier admitted) {
    Guarded guarded = new Guarded(stream.events(), admitted);
    open.add(guarded);
    if (checker == null) {
      checker = Thread.ofVirtual().name("holdfast-streams").start(this::check);
    }
    return new Response.Stream(guarded);
  }

  private synchronized void remove(Guarded guarded) {
    open.remove(guarded);
  }

  private void check() {
    try {
      for (List<Guarded> all = open(); !all.isEmpty(); all = open()) {
        all.forEach(OpenStreams::check);
        Thread.sleep(EVERY);
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  /** Decides under the lock that a new stream takes, so none is left unchecked. */
  private synchronized List<Guarded> open() {
    if (open.isEmpty()) {
      checker = null;
    }
    return List.copyOf(open);
  }

  private static void check(Guarded guarded) {
    try {
      if (!guarded.admitted.getAsBoolean()) {
        guarded.end();
      }
    } catch (StoreException away) {
      // There is nothing to read either while the database is unavailable.
      log.debug("An open stream could not be checked: {}", away.getMessage());
    }
  }
}
