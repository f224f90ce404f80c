/**
 * Claims, starts and hands back jobs: the claim statement ({@link
 * dev.holdfast.postgres.claim.ClaimSql}), the search for ready jobs and stacks, and the statements
 * that start a claimed job or hand it back.
 *
 * <p>Uses {@code db}, {@code job} and the limits of {@code rule}. Invariant: a job is claimed only
 * for a live incarnation, within the limits that apply, and each claim increases its token.
 */
@NullMarked
package dev.holdfast.postgres.claim;

import org.jspecify.annotations.NullMarked;
