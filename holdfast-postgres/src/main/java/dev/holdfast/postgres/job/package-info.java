/**
 * What several areas share about job rows: the job columns, the columns of a claim, history,
 * failures as JSON, and the tally of ended jobs.
 */
@NullMarked
package dev.holdfast.postgres.job;

import org.jspecify.annotations.NullMarked;
