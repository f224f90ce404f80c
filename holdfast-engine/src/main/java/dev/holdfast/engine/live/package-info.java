/**
 * That a node lives, and that it still holds what it thinks it holds.
 *
 * <p>The Heart beats one row per node. The answer to a beat is the database's view of this node's
 * claims; where that differs from the node's own, the database is right: claims the node has lost
 * are interrupted, claims it never heard of (the answer was lost) are given back with nothing
 * spent.
 *
 * <p>An incarnation may act for as long as its {@link dev.holdfast.engine.live.Tenure} lasts, which
 * every answered beat moves on and which ends before others may take over. The Watchdog sees to
 * that even while the Heart waits for an answer. Then the Fence drops everything, the incarnation
 * never beats again, and the Heart registers a new one.
 */
@NullMarked
package dev.holdfast.engine.live;

import org.jspecify.annotations.NullMarked;
