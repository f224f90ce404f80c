/**
 * The store on PostgreSQL.
 *
 * <p>{@link dev.holdfast.postgres.PostgresStore} is the entry point. Behind it, one class
 * implements each interface of the store SPI and contains one family of statements: text blocks,
 * each with a comment that names the index it relies on. Table names are qualified with the schema,
 * so that no statement depends on the search path, which belongs to the caller in an external
 * transaction.
 *
 * <p>Invariants: every change of a job is one guarded statement that names the state it expects
 * and, for a claimed job, the incarnation and the token. At any time a job is in exactly one of
 * {@code job}, {@code job_history} and {@code dead_letter}. Delays are sent as durations and become
 * times by the clock of the database.
 */
@NullMarked
package dev.holdfast.postgres;

import org.jspecify.annotations.NullMarked;
