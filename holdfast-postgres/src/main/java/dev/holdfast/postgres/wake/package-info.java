/**
 * Wakeups over LISTEN and NOTIFY.
 *
 * <p>A signal is a hint, so everything here may lose one and nothing here may block or fail its
 * caller. An idle coordinator asks the database one thing a minute: whether it can still hear
 * itself.
 */
@NullMarked
package dev.holdfast.postgres.wake;

import org.jspecify.annotations.NullMarked;
