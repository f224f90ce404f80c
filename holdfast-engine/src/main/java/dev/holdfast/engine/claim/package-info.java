/**
 * Claiming jobs: when to claim, how many, and what to do with the result.
 *
 * <p>The invariant of this package: nothing runs that the store has not confirmed. A claim call
 * whose reply was lost is remembered by its number until the Heart has returned its jobs.
 */
@NullMarked
package dev.holdfast.engine.claim;

import org.jspecify.annotations.NullMarked;
