/**
 * The claim statement ({@link dev.holdfast.postgres.claim.ClaimSql}), the search for ready jobs,
 * and the statement that starts a claimed job.
 */
@NullMarked
package dev.holdfast.postgres.claim;

import org.jspecify.annotations.NullMarked;
