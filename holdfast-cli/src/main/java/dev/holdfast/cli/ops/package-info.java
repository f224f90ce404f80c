/**
 * Looking at nodes, queues, jobs and schedules, and steering them: one small command each, on the
 * public client of a database.
 *
 * <p>Each command says in a sentence what became of the wish, and exits 1 if it came to nothing.
 */
@NullMarked
package dev.holdfast.cli.ops;

import org.jspecify.annotations.NullMarked;
