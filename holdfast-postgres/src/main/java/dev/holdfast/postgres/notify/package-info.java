/**
 * Wakeups over LISTEN and NOTIFY.
 *
 * <p>A signal is a hint: everything here may lose one, and nothing here may block or fail its
 * caller. A coordinator that has received nothing for two minutes sends itself a ping to check that
 * it still receives signals. Uses {@code db} and the {@code notify} package of the engine.
 */
@NullMarked
package dev.holdfast.postgres.notify;

import org.jspecify.annotations.NullMarked;
