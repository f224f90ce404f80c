package dev.holdfast.server.stream;

import dev.holdfast.api.workflow.RunEvent;
import dev.holdfast.api.workflow.RunId;
import java.util.List;
import java.util.Map;

/** Reads what clients watch, once for all of them, and hands it to each. */
interface Feed {

  /**
   * Adds a client. From now on it gets all events after its positions, and perhaps some before,
   * which it ignores.
   */
  void add(Subscription subscription, Map<RunId, Long> from);

  /** Removes a client, which may not have been added. */
  void remove(Subscription subscription);

  /** Returns the events of a run after a position; none if the run is gone. */
  List<RunEvent> events(RunId run, long after);

  /** Returns an event as JSON. */
  String text(RunEvent event);

  /** Ends all clients. */
  void close();
}
