/** Staging of due jobs, retention and samples. */
@NullMarked
package dev.holdfast.postgres.upkeep;

import org.jspecify.annotations.NullMarked;
