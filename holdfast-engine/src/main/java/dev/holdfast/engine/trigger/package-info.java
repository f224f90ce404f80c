/**
 * Events that start work. {@link dev.holdfast.engine.trigger.EventPublication} turns an event into
 * starts, of which the store carries out each at most once; {@link
 * dev.holdfast.engine.trigger.SubjectState} decides about debounce and cooldown, as a pure function
 * of what the store remembers.
 *
 * <p>Uses the store's interfaces and JSON, and nothing else of the engine. The invariant it guards:
 * equal payloads have equal keys, whoever publishes them.
 */
@NullMarked
package dev.holdfast.engine.trigger;

import org.jspecify.annotations.NullMarked;
