/**
 * Waits for the result of a job: {@link dev.holdfast.engine.query.Awaiter} in the client, and
 * {@link dev.holdfast.engine.query.AwaitedJobs} on the nodes that announce the end of such jobs.
 */
@NullMarked
package dev.holdfast.engine.query;

import org.jspecify.annotations.NullMarked;
