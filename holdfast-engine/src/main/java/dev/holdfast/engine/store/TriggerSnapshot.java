package dev.holdfast.engine.store;

import dev.holdfast.api.trigger.Trigger;
import dev.holdfast.api.trigger.TriggerStatus;

/** A {@link TriggerStatus} as a store read it. */
public record TriggerSnapshot(Trigger trigger, boolean paused) implements TriggerStatus {}
