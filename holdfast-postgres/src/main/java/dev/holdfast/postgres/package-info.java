/**
 * The engine's store on PostgreSQL.
 *
 * <p>{@link dev.holdfast.postgres.PostgresStore} is the way in. Behind it there is one class for
 * each role of the Store SPI, holding one family of statements: text blocks, and above each the
 * index that it relies on. Names of tables are completed with the schema once, so that no statement
 * depends on a search path, which in a transaction of the caller's own is not ours to set.
 *
 * <p>Invariants: every change of a job is one guarded statement that names the state, and for a
 * holder the incarnation and the token, that it expects; a job is in exactly one of {@code job},
 * {@code job_history} and {@code dead_letter} at any time; delays travel as durations and become
 * times by the clock of the database.
 */
@NullMarked
package dev.holdfast.postgres;

import org.jspecify.annotations.NullMarked;
