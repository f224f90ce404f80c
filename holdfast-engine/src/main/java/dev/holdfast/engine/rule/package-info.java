/**
 * Rules that decide which jobs a node may claim: queues, cluster-wide limits, circuit breakers,
 * modes and the routing of tasks to executors.
 *
 * <p>{@link dev.holdfast.engine.rule.BreakerTransition} is a pure function over a stored row, which
 * every store calls under its lock. While a breaker is not closed, at most one job of its task runs
 * at a time as a probe, and the jobs that wait use no attempt. The mode of a node is a row in the
 * database that operators may change; the node reads it with its next heartbeat.
 */
@NullMarked
package dev.holdfast.engine.rule;

import org.jspecify.annotations.NullMarked;
