/**
 * Waits for the result of a job: {@link dev.holdfast.engine.query.Awaiter} in the client, and
 * {@link dev.holdfast.engine.query.AwaitedJobs} on the nodes that announce the end of such jobs. An
 * announcement that is lost delays a result until the next poll; it never loses one.
 */
@NullMarked
package dev.holdfast.engine.query;

import org.jspecify.annotations.NullMarked;
