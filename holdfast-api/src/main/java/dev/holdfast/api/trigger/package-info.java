/**
 * Events that start work: which event starts which task, how often, and what came of publishing
 * one.
 *
 * <p>A {@link dev.holdfast.api.trigger.Trigger} is a value that is stored as a row, filter and all,
 * so that a publisher needs to know nothing about the work it sets off. It is checked when it is
 * built: a trigger that exists makes sense.
 */
@NullMarked
package dev.holdfast.api.trigger;

import org.jspecify.annotations.NullMarked;
