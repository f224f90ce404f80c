/**
 * Writing down how attempts ended, in groups, durably, before anybody is told.
 *
 * <p>A report stays in memory until the store has confirmed it; while the store is away reports
 * wait, bounded, and claiming stops when the bound is reached.
 */
@NullMarked
package dev.holdfast.engine.finish;

import org.jspecify.annotations.NullMarked;
