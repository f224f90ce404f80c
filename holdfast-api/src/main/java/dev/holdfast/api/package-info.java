/**
 * The public API of Holdfast, durable jobs and workflows for Java on PostgreSQL. This package
 * contains the {@link dev.holdfast.api.Holdfast} client, the {@link dev.holdfast.api.JobRequest}
 * that it enqueues and the {@link dev.holdfast.api.EnqueueInterceptor} that wraps its enqueues, the
 * {@link dev.holdfast.api.TransactionScope} for your own transactions, the managers of {@link
 * dev.holdfast.api.Nodes}, {@link dev.holdfast.api.Queues}, {@link dev.holdfast.api.Runs} and
 * {@link dev.holdfast.api.Tasks}, and the exceptions that they throw.
 *
 * <ul>
 *   <li>{@link dev.holdfast.api.task}: task types, recovery policies, and the state of tasks
 *   <li>{@link dev.holdfast.api.run}: handlers, their context and interceptors, and the exceptions
 *       that handlers throw
 *   <li>{@link dev.holdfast.api.job}: jobs, their options, states, filters, and why they wait
 *   <li>{@link dev.holdfast.api.policy}: retries, backoff, crash policies, circuit breakers and
 *       failure codes
 *   <li>{@link dev.holdfast.api.schedule}: recurring jobs
 *   <li>{@link dev.holdfast.api.trigger}: events that start tasks
 *   <li>{@link dev.holdfast.api.workflow}: graphs of steps, and their runs
 *   <li>{@link dev.holdfast.api.lease}: leases, locks and work to be done once at start-up
 *   <li>{@link dev.holdfast.api.event}: lifecycle events of jobs, nodes, tasks and leases, for
 *       listeners
 *   <li>{@link dev.holdfast.api.codec}: encoding of payloads and results
 *   <li>{@link dev.holdfast.api.type}: references to generic types of payloads and results
 *   <li>{@link dev.holdfast.api.internal}: checks shared by these packages; not part of the API
 * </ul>
 *
 * <p>The API module depends only on the JDK and JSpecify. The client and the node are implemented
 * in the engine: {@code dev.holdfast.engine.client.HoldfastClient} and {@code
 * dev.holdfast.engine.node.HoldfastNode}.
 */
@NullMarked
package dev.holdfast.api;

import org.jspecify.annotations.NullMarked;
