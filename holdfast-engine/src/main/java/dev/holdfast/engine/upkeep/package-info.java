/**
 * Work that is due by the clock: scheduled jobs become ready, jobs past their start-by time expire,
 * old history is deleted, and queue depths are sampled.
 */
@NullMarked
package dev.holdfast.engine.upkeep;

import org.jspecify.annotations.NullMarked;
