/**
 * Enqueues jobs: a {@link dev.holdfast.api.JobRequest} passes the interceptors of the client, is
 * validated, encoded and passed to the store; then the nodes are notified.
 *
 * <p>An enqueue whose outcome is unknown is repeated under the same job id, which the store
 * recognises, so that a repeat never creates a second job.
 */
@NullMarked
package dev.holdfast.engine.intake;

import org.jspecify.annotations.NullMarked;
