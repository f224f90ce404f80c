/**
 * Heartbeats, fencing and recovery: how a node shows that it is alive, stops in time when it
 * cannot, and takes over from nodes that are dead.
 *
 * <p>The Heart writes one row per node and heartbeat. The reply contains the claims that the
 * database has for this node. Where they differ from what the node holds, the database is right: a
 * job that the node has lost is interrupted, and a job that it never learned of is returned without
 * using an attempt. An incarnation may act until the end of its {@link
 * dev.holdfast.engine.held.Tenure}, which every successful heartbeat extends and which ends before
 * other nodes may take over. The Watchdog enforces that even while the Heart waits for a reply.
 * Then the Fence interrupts everything, and the Heart registers a new incarnation.
 *
 * <p>No clocks are compared between machines. A Sweeper watches the heartbeat counters of other
 * nodes. If a counter has not moved for the timeout of its node, measured on the sweeper's own
 * monotonic clock and without a gap between its reads, the node is dead. A new sweeper therefore
 * has to watch for one timeout before it can conclude anything, and neither a database outage nor a
 * clock that jumps makes a node look dead. The update that marks a node dead is guarded by the
 * heartbeat that was seen. Sweeping is level-triggered: it recovers whatever a dead node still
 * holds, no matter which node marked it. The decision about each job is a pure function, {@link
 * dev.holdfast.engine.liveness.CrashDecisions}.
 */
@NullMarked
package dev.holdfast.engine.liveness;

import org.jspecify.annotations.NullMarked;
