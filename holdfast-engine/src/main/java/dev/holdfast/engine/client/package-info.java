/**
 * The client: enqueueing jobs, reading them, waiting for them and controlling them.
 *
 * <p>{@link dev.holdfast.engine.client.HoldfastClient} implements {@link dev.holdfast.api.Holdfast}
 * on any {@link dev.holdfast.engine.store.Store}. A client needs no node in its process. Invariant:
 * arguments are checked before anything is written, and a call whose reply was lost is repeated
 * only if the repeat has no further effect.
 */
@NullMarked
package dev.holdfast.engine.client;

import org.jspecify.annotations.NullMarked;
