/**
 * Triggers: events that start tasks.
 *
 * <p>A {@link dev.holdfast.api.trigger.Trigger} defines which event starts which task, under which
 * {@linkplain dev.holdfast.api.trigger.Condition conditions} and how often. It is stored with
 * {@link dev.holdfast.api.trigger.Triggers} or declared by a node, so a {@link
 * dev.holdfast.api.trigger.Publisher} does not need to know which tasks its events start; {@link
 * dev.holdfast.api.trigger.Published} says what each trigger did. {@link
 * dev.holdfast.api.trigger.TriggerStatus} describes a stored trigger.
 *
 * <p>A trigger is an immutable value that is checked when it is created.
 */
@NullMarked
package dev.holdfast.api.trigger;

import org.jspecify.annotations.NullMarked;
