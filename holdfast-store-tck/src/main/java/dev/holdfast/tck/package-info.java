/** The contract that every store must pass, and a simulated cluster. */
@NullMarked
package dev.holdfast.tck;

import org.jspecify.annotations.NullMarked;
