package dev.holdfast.api.trigger;

/**
 * A trigger as the database has it.
 *
 * @param paused whether events pass it by
 */
public record TriggerStatus(Trigger trigger, boolean paused) {}
