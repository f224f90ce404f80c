/**
 * Triggers, and the publication of events, on our own connections and in external transactions.
 *
 * <p>Uses {@code db}, {@code notify} and the statements of {@code intake}. Invariant: one
 * publication is one transaction, in which each trigger starts a payload at most once within its
 * window.
 */
@NullMarked
package dev.holdfast.postgres.trigger;

import org.jspecify.annotations.NullMarked;
