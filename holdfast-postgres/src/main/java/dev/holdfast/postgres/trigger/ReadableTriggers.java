package dev.holdfast.postgres.trigger;

import dev.holdfast.api.trigger.Trigger;
import dev.holdfast.engine.trigger.TriggerText;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the triggers of an event. A trigger that cannot be read, because a program of a newer
 * version wrote it, must not affect the others or fail the caller that publishes. Each is logged
 * once, because triggers are read with every event.
 */
public final class ReadableTriggers {
  private static final Logger log = LoggerFactory.getLogger(ReadableTriggers.class);
  private static final int MOST_LOGGED = 1_000;

  private final Map<String, String> logged = new ConcurrentHashMap<>();

  Optional<Trigger> read(String id, String definition) {
    try {
      return Optional.of(TriggerText.read(definition));
    } catch (RuntimeException unreadable) {
      if (logged.size() >= MOST_LOGGED) {
        logged.clear();
      }
      if (!definition.equals(logged.put(id, definition))) {
        log.warn(
            "Trigger '{}' cannot be read by this version and starts nothing from this process:"
                + " update this program, or put the trigger again. {}",
            id,
            unreadable.getMessage());
      }
      return Optional.empty();
    }
  }
}
