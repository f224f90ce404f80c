/**
 * Events that start jobs. {@link dev.holdfast.engine.trigger.EventPublication} turns an event into
 * starts, each of which the store carries out at most once; {@link
 * dev.holdfast.engine.trigger.SubjectState} decides about debounce and cooldown, as a pure function
 * of the stored state.
 *
 * <p>Uses the store SPI, the codec, the origin and retries of {@code intake}, and {@code notify} to
 * wake nodes. The invariant it guards: equal payloads have equal keys, no matter which process
 * publishes them.
 */
@NullMarked
package dev.holdfast.engine.trigger;

import org.jspecify.annotations.NullMarked;
