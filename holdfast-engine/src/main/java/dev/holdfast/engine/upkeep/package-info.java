/**
 * Work that is due by the clock: scheduled jobs become ready, jobs past their start-by time expire,
 * old history is deleted, and queue depths are sampled.
 *
 * <p>Every node has these roles, and any of them can do the work for the whole cluster. Uses the
 * store SPI, {@code notify} and {@code meter}. Invariant: each step is bounded and can be repeated,
 * so a node that dies in the middle leaves nothing that another cannot continue.
 */
@NullMarked
package dev.holdfast.engine.upkeep;

import org.jspecify.annotations.NullMarked;
