/**
 * Notifies other nodes that there is something to do.
 *
 * <p>A signal is only a hint. A node that misses one finds the work by polling, so nothing here may
 * fail a caller, block it, or be relied on for correctness.
 */
@NullMarked
package dev.holdfast.engine.notify;

import org.jspecify.annotations.NullMarked;
