/**
 * Checks of names and times, and suggestions for mistyped names, that the other packages share.
 * Checks throw an {@link IllegalArgumentException} that names the value and the remedy. This
 * package is not part of the public API: it can change in any release.
 */
@NullMarked
package dev.holdfast.api.internal;

import org.jspecify.annotations.NullMarked;
