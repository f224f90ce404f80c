/**
 * Commands that list and control nodes, queues, tasks, jobs, schedules, triggers and leases. Each
 * is a small class that uses the public client.
 *
 * <p>A command that changes something prints the result in one sentence, and exits with 1 if the
 * request was not carried out.
 */
@NullMarked
package dev.holdfast.cli.ops;

import org.jspecify.annotations.NullMarked;
