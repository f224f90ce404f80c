/**
 * Commands that list and control nodes, queues, tasks, jobs, schedules, triggers and leases. Each
 * is a small class that uses a {@link dev.holdfast.cli.connect.Session} of the REST API. Tasks,
 * leases and a few others exist on a database only, and use its client.
 *
 * <p>A command that changes something prints the result in one sentence. If the request was not
 * carried out, its {@link dev.holdfast.cli.connect.ExitCode} says why.
 */
@NullMarked
package dev.holdfast.cli.ops;

import org.jspecify.annotations.NullMarked;
