/**
 * Other schedulers on PostgreSQL. Each does the same two things as Holdfast in the benchmark: it
 * enqueues no-op jobs in bulk, and runs them until its tables show that they are finished.
 *
 * <p>One class per peer in Java, behind {@link dev.holdfast.bench.peers.Peer}; the peers for
 * Node.js are scripts in the resources of {@code bench.node}. Each runs with its defaults, and with
 * what its documentation recommends for throughput and, where that leaves a choice, with the
 * settings that measured best. Nothing here depends on Holdfast. Invariant: every peer is timed in
 * the same way, by {@link dev.holdfast.bench.peers.FinishLine}, so that no rate favours one side.
 */
@NullMarked
package dev.holdfast.bench.peers;

import org.jspecify.annotations.NullMarked;
