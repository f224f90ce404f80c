/**
 * What a node holds: its incarnation and how long it may act ({@link
 * dev.holdfast.engine.held.Tenure}), the jobs it has claimed, and the slots they run in.
 *
 * <p>Claiming, running, finishing and liveness share this state. It is a separate package, so that
 * none of them has to depend on another to reach it. Of the store SPI it uses the data types only:
 * nothing here calls a store.
 */
@NullMarked
package dev.holdfast.engine.held;

import org.jspecify.annotations.NullMarked;
