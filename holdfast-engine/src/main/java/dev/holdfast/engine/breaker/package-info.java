/**
 * Leaving a task alone that fails too often: what a breaker does is a pure function over its row,
 * which every store asks under its lock; who counts failures is a role.
 *
 * <p>The invariant guarded here: while a breaker is not closed, at most one job of its task is let
 * through at a time, and jobs that are not let through spend nothing.
 */
@NullMarked
package dev.holdfast.engine.breaker;

import org.jspecify.annotations.NullMarked;
