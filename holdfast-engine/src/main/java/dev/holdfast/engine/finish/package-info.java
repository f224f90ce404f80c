/**
 * Writes how attempts ended, in groups and durably, before it is announced.
 *
 * <p>A report stays in memory until the store has confirmed it; while the store is unavailable, a
 * bounded number of reports wait, and claiming stops when the bound is reached.
 */
@NullMarked
package dev.holdfast.engine.finish;

import org.jspecify.annotations.NullMarked;
