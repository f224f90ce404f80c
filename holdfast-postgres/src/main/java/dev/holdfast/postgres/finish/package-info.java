/**
 * Statements that end attempts, in groups, and recognize repeats of a finish whose reply was lost.
 */
@NullMarked
package dev.holdfast.postgres.finish;

import org.jspecify.annotations.NullMarked;
