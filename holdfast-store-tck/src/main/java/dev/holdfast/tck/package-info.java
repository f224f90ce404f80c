/** The contract suite that every store must pass, and the simulation of a cluster. */
@NullMarked
package dev.holdfast.tck;

import org.jspecify.annotations.NullMarked;
