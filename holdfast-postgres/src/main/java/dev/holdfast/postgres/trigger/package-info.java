/** Triggers, and the publication of events, on our own connections and in external transactions. */
@NullMarked
package dev.holdfast.postgres.trigger;

import org.jspecify.annotations.NullMarked;
