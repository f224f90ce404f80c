/** The Micrometer meters of a node. Nothing else in the engine knows meter names. */
@NullMarked
package dev.holdfast.engine.meter;

import org.jspecify.annotations.NullMarked;
