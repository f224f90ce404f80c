/**
 * The node: its builder, the wiring of its roles, its start and its shutdown.
 *
 * <p>{@link dev.holdfast.engine.node.HoldfastNode} is the entry point. This is the only package
 * that knows all roles; no other package depends on it.
 */
@NullMarked
package dev.holdfast.engine.node;

import org.jspecify.annotations.NullMarked;
