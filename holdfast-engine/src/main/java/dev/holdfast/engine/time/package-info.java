/**
 * Time as a parameter: moments of a monotonic clock, and deadlines. Roles never read a clock
 * themselves, so that a simulation can provide it. Uses only the JDK.
 */
@NullMarked
package dev.holdfast.engine.time;

import org.jspecify.annotations.NullMarked;
