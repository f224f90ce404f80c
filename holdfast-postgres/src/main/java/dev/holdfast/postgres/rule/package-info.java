/**
 * Rules of queues and tasks: pause, cluster-wide limits, circuit breakers, and the counts they
 * need.
 *
 * <p>Uses {@code db}, {@code job}, and one statement of {@code intake}. Invariant: a limit is
 * checked by a statement that starts after its row was locked, so that the count includes every
 * earlier claim.
 */
@NullMarked
package dev.holdfast.postgres.rule;

import org.jspecify.annotations.NullMarked;
