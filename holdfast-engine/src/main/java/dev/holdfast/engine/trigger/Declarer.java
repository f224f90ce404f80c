package dev.holdfast.engine.trigger;

import dev.holdfast.api.StoreException;
import dev.holdfast.api.internal.Times;
import dev.holdfast.api.trigger.Trigger;
import dev.holdfast.engine.role.Role;
import dev.holdfast.engine.store.TriggerStore;
import dev.holdfast.engine.time.Moment;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores the triggers that a node declares, once, when a node that was started disabled is enabled.
 * Other nodes store them when they start, so that a failure is thrown by the start.
 */
public final class Declarer implements Role {
  private static final Logger log = LoggerFactory.getLogger(Declarer.class);
  private static final Duration AFTER_FAILURE = Duration.ofSeconds(2);

  private final TriggerStore store;
  private final List<Trigger> triggers;

  public Declarer(TriggerStore store, List<Trigger> triggers) {
    this.store = store;
    this.triggers = List.copyOf(triggers);
  }

  @Override
  public String name() {
    return "declarer";
  }

  @Override
  public Moment tick(Moment now) {
    try {
      triggers.forEach(store::put);
      return Moment.NEVER;
    } catch (StoreException failure) {
      log.warn(
          "Declared triggers could not be stored, retrying in {}: {}",
          Times.describe(AFTER_FAILURE),
          failure.getMessage());
      return now.plus(AFTER_FAILURE);
    }
  }
}
