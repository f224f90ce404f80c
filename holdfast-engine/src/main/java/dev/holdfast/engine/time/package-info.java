/**
 * Time as a parameter: roles never read a clock themselves, so that a simulation can provide it.
 */
@NullMarked
package dev.holdfast.engine.time;

import org.jspecify.annotations.NullMarked;
