/**
 * The behaviour of nodes, as tests that run on any store: real nodes with real threads on the store
 * under test.
 */
@NullMarked
package dev.holdfast.tck.node;

import org.jspecify.annotations.NullMarked;
