package dev.holdfast.tck.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.f4b6a3.uuid.UuidCreator;
import dev.holdfast.api.trigger.Published;
import dev.holdfast.api.trigger.Published.Outcome;
import dev.holdfast.engine.intake.JobOrigin;
import dev.holdfast.engine.store.Store;
import dev.holdfast.engine.trigger.EventIds;
import dev.holdfast.engine.trigger.EventPublication;

/** Publishes events of one name to a store. */
final class EventSource {
  private final Store store;
  private final String event;

  EventSource(Store store, String event) {
    this.store = store;
    this.event = event;
  }

  Published publish(String payload) {
    return publication(payload).publish(store.events());
  }

  /** Publishes an event that exactly one trigger listens to. */
  Outcome publishToOne(String payload) {
    Published published = publish(payload);
    assertThat(published.outcomes()).hasSize(1);
    return published.outcomes().get(0);
  }

  /** Returns an event that can be published repeatedly, as after a lost reply. */
  EventPublication publication(String payload) {
    return new EventPublication(
        event, payload, EventIds.fresh(UuidCreator::getTimeOrderedEpoch), JobOrigin.NONE, null);
  }
}
