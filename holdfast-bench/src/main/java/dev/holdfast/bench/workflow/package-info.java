/**
 * The benchmark of workflows, {@code holdfast bench workflows}: one class for each kind of measure.
 *
 * <p>All measures are ratios of two sides that take turns in one run, or counts, so that they mean
 * the same on every machine.
 */
@NullMarked
package dev.holdfast.bench.workflow;

import org.jspecify.annotations.NullMarked;
