/**
 * Telling others that there is something to do.
 *
 * <p>A wakeup is a hint and nothing more: whoever misses it finds the work by polling. So nothing
 * here may fail loudly, block a caller, or be relied on for correctness.
 */
@NullMarked
package dev.holdfast.engine.wake;

import org.jspecify.annotations.NullMarked;
