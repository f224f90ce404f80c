/**
 * Failover of the database under load: a primary and a synchronous standby that {@code
 * pg_auto_failover} manages, node processes that connect to both, directly or through PgBouncer,
 * and a primary that is killed in each round.
 *
 * <p>The load, the node processes and the check of their effects are those of {@code bench.chaos}.
 * Invariant: a server is killed together with everything that runs on the same machine, and only
 * while its standby is synchronous, because only then does the database promise that nothing is
 * lost.
 */
@NullMarked
package dev.holdfast.bench.ha;

import org.jspecify.annotations.NullMarked;
