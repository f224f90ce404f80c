/**
 * What several areas share about job rows: the job columns, the columns of a claim, history, the
 * search in history, failures as JSON, and the tally of ended jobs.
 *
 * <p>Uses {@code db} only. Invariant: the columns of a job are listed once, in {@link
 * dev.holdfast.postgres.job.JobColumns}.
 */
@NullMarked
package dev.holdfast.postgres.job;

import org.jspecify.annotations.NullMarked;
