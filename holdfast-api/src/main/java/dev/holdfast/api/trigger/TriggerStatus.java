package dev.holdfast.api.trigger;

/**
 * A stored trigger and its state.
 *
 * @param trigger the trigger
 * @param paused whether it is paused: events start nothing
 */
public record TriggerStatus(Trigger trigger, boolean paused) {}
