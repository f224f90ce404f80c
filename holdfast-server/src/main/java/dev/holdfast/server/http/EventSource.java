package dev.holdfast.server.http;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The events of one client that watches. */
public interface EventSource extends AutoCloseable {

  /**
   * An event.
   *
   * @param id where to resume; null if a client cannot resume there
   * @param data the data, as JSON in one line
   */
  record Event(@Nullable String id, String name, String data) {}

  /**
   * Waits for the next event.
   *
   * @return the event; empty if there was none in time
   * @throws InterruptedException if the calling thread is interrupted
   */
  Optional<Event> next(Duration atMost) throws InterruptedException;

  /** Ends the source from another thread: the one that waits for the next event returns. */
  void end();

  /** Returns whether the source has ended: there are no more events, or none are to be sent. */
  boolean isEnded();

  /** Releases what the source holds. Called once, however the client leaves. */
  @Override
  void close();
}
