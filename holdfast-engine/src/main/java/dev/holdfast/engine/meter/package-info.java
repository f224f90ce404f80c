/** What a node counts and times, by Micrometer. Nothing else in the engine knows meter names. */
@NullMarked
package dev.holdfast.engine.meter;

import org.jspecify.annotations.NullMarked;
