/**
 * That a node lives, and that it still holds what it thinks it holds.
 *
 * <p>The Heart beats one row per node. The answer to a beat is the database's view of this node's
 * claims; where that differs from the node's own, the database is right: claims the node has lost
 * are interrupted, claims it never heard of (the answer was lost) are given back with nothing
 * spent.
 */
@NullMarked
package dev.holdfast.engine.live;

import org.jspecify.annotations.NullMarked;
