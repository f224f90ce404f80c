/** Checks of names and times that several packages share. Not part of the public API. */
@NullMarked
package dev.holdfast.api.internal;

import org.jspecify.annotations.NullMarked;
