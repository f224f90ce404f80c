/**
 * Taking hold of jobs: when to ask, for how many, and what to do with what comes back.
 *
 * <p>The invariant guarded here: nothing runs that the store has not confirmed. A claim whose
 * answer was lost is remembered by its number until the Heart has given its jobs back.
 */
@NullMarked
package dev.holdfast.engine.claim;

import org.jspecify.annotations.NullMarked;
