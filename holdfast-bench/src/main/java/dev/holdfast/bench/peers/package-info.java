/**
 * Other schedulers on PostgreSQL, each doing the same two things as Holdfast in the benchmark:
 * taking no-op jobs in bulk, and running them until its own store says they are finished.
 *
 * <p>One class per peer, behind {@link dev.holdfast.bench.peers.Peer}. Each is set up for
 * throughput the way its own documentation says, and where that leaves a choice, with what measured
 * best. Nothing here knows Holdfast. The invariant it guards: every peer is timed by the same
 * {@link dev.holdfast.bench.peers.FinishLine}, so that no rate flatters one side.
 */
@NullMarked
package dev.holdfast.bench.peers;

import org.jspecify.annotations.NullMarked;
