/**
 * Runs claimed jobs: with which code, on which executor, in which slot, and how an attempt ends.
 *
 * <p>Anything a handler does (throw, hang, return junk, interrupt itself) ends as one {@link
 * dev.holdfast.engine.store.Finish} of this job and affects no other. The invariant guarded here:
 * user code starts only for a job that the store has confirmed as RUNNING.
 */
@NullMarked
package dev.holdfast.engine.run;

import org.jspecify.annotations.NullMarked;
