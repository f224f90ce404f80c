/**
 * Running claimed jobs: which code, on which executor, in which slot, and how an attempt ends.
 *
 * <p>Whatever a handler does (throw, hang, return junk, interrupt itself) ends as one {@link
 * dev.holdfast.engine.store.Finish} of its own job and nothing else. The invariant guarded here:
 * user code begins only for a job that the store has confirmed as RUNNING.
 */
@NullMarked
package dev.holdfast.engine.run;

import org.jspecify.annotations.NullMarked;
