/**
 * Time, handed in: roles never ask a clock of their own, so that a simulation can be their clock.
 */
@NullMarked
package dev.holdfast.engine.time;

import org.jspecify.annotations.NullMarked;
