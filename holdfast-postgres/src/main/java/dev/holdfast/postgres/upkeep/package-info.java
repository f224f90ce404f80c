/**
 * Staging of due jobs, and retention.
 *
 * <p>Uses {@code db}, {@code job} and {@code schema}. Invariant: every step is a short transaction
 * over a bounded number of rows, and any node can repeat it.
 */
@NullMarked
package dev.holdfast.postgres.upkeep;

import org.jspecify.annotations.NullMarked;
