/**
 * Triggers, and the publication of events, on our own connections and in a caller's transaction.
 */
@NullMarked
package dev.holdfast.postgres.trigger;

import org.jspecify.annotations.NullMarked;
