/**
 * A node for tests that runs jobs only when a test tells it to.
 *
 * <p>{@link dev.holdfast.testkit.node.TestNode} is a real node: the same roles claim, run and
 * finish jobs as in production. Only their environment differs: they run on the thread that calls
 * {@code drain}, and in memory the time stands still until the test advances it.
 */
@NullMarked
package dev.holdfast.testkit.node;

import org.jspecify.annotations.NullMarked;
