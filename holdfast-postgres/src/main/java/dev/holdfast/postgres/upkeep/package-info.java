/** Staging of due jobs, and retention. */
@NullMarked
package dev.holdfast.postgres.upkeep;

import org.jspecify.annotations.NullMarked;
