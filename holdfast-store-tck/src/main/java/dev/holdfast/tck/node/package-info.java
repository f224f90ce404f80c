/**
 * What a node does, as tests that run on any store: real nodes on real threads, with the store
 * under test behind them.
 */
@NullMarked
package dev.holdfast.tck.node;

import org.jspecify.annotations.NullMarked;
