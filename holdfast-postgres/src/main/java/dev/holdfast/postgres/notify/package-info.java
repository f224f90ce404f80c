/**
 * Wakeups over LISTEN and NOTIFY.
 *
 * <p>A signal is a hint: everything here may lose one, and nothing here may block or fail its
 * caller. An idle coordinator sends the database two checks a minute to see whether it can still
 * hear itself.
 */
@NullMarked
package dev.holdfast.postgres.notify;

import org.jspecify.annotations.NullMarked;
