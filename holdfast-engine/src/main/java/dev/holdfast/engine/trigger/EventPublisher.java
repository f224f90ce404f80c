package dev.holdfast.engine.trigger;

import dev.holdfast.api.codec.PayloadCodec;
import dev.holdfast.api.internal.TriggerNames;
import dev.holdfast.api.trigger.Published;
import dev.holdfast.api.trigger.Published.Outcome;
import dev.holdfast.api.trigger.Trigger;
import dev.holdfast.engine.codec.Encoding;
import dev.holdfast.engine.intake.ClientSettings;
import dev.holdfast.engine.intake.JobOrigin;
import dev.holdfast.engine.intake.StoreRetry;
import dev.holdfast.engine.meter.CallSpans;
import dev.holdfast.engine.notify.Signal;
import dev.holdfast.engine.notify.SignalBus;
import dev.holdfast.engine.store.EventIntake;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Publishes events: validates and encodes them before anything is written, repeats a call whose
 * reply was lost, and notifies the nodes.
 */
public final class EventPublisher {
  private final PayloadCodec codec;
  private final ClientSettings settings;
  private final Supplier<UUID> ids;
  private final SignalBus bus;
  private final JobOrigin origin;
  private final CallSpans spans;

  public EventPublisher(
      PayloadCodec codec,
      ClientSettings settings,
      Supplier<UUID> ids,
      SignalBus bus,
      JobOrigin origin) {
    this.origin = origin;
    this.codec = codec;
    this.settings = settings;
    this.ids = ids;
    this.bus = bus;
    this.spans = CallSpans.of(settings.telemetry());
  }

  /** Returns a publisher that differs only in the origin of the jobs that its events create. */
  public EventPublisher from(JobOrigin origin) {
    return new EventPublisher(codec, settings, ids, bus, origin);
  }

  /** Publishes an event in a new transaction. */
  public Published publish(EventIntake intake, String event, Object payload) {
    return publish(intake, event, payload, EventIds.fresh(ids));
  }

  /**
   * Publishes an event in a new transaction. A repeat with the same id starts no second job.
   *
   * @param call what the ids of the jobs are derived from
   */
  public Published publish(EventIntake intake, String event, Object payload, UUID call) {
    return publish(intake, event, payload, EventIds.of(call));
  }

  private Published publish(EventIntake intake, String event, Object payload, EventIds jobs) {
    return spans.call(
        "publish",
        event,
        call -> {
          EventPublication publication = publication(event, payload, jobs, call.trace());
          Published published =
              StoreRetry.ask(
                  "publish event %s".formatted(event), before -> publication.publish(intake));
          announce(publication, published);
          return published;
        });
  }

  /**
   * Publishes an event in an external transaction. It does not retry, since a failure aborts that
   * transaction.
   *
   * @param afterCommit receives the action that notifies nodes
   */
  public Published publishOnce(
      EventIntake intake, String event, Object payload, Consumer<Runnable> afterCommit) {
    return spans.call(
        "publish",
        event,
        call -> {
          EventPublication publication =
              publication(event, payload, EventIds.fresh(ids), call.trace());
          Published published = publication.publish(intake);
          afterCommit.accept(() -> announce(publication, published));
          return published;
        });
  }

  private EventPublication publication(
      String event, Object payload, EventIds jobs, @Nullable String trace) {
    TriggerNames.event(event);
    String text =
        Encoding.payload(codec, payload, "event '%s'".formatted(event), settings.payloadLimit());
    return new EventPublication(event, text, jobs, origin, trace);
  }

  private void announce(EventPublication publication, Published published) {
    Map<String, Trigger> triggers =
        publication.listening().stream()
            .collect(Collectors.toMap(Trigger::id, Function.identity()));
    for (Outcome outcome : published.outcomes()) {
      Trigger trigger = triggers.get(outcome.trigger());
      if (trigger == null) {
        continue;
      }
      switch (outcome.decision()) {
        case STARTED -> bus.publish(new Signal.NewWork(trigger.queue(), trigger.priority(), 1));
        case DEBOUNCED -> {
          if (trigger.debounce() != null) {
            bus.publish(new Signal.Scheduled(trigger.debounce()));
          }
        }
        case DEDUPLICATED, IN_COOLDOWN, NOT_MATCHED -> {}
      }
    }
  }
}
