/**
 * The store SPI: what the engine requires of a database, as small interfaces, one for each area.
 *
 * <p>A store never decides policy. The engine tells it "retry in 20 seconds" or "this failed
 * permanently"; the store carries that out in one guarded step and reports the result.
 *
 * <p>An <em>incarnation</em> is one run of a node, from one registration to the next: it has a new
 * id at every start and after every fencing. The <em>holder</em> of a job is the incarnation that
 * has claimed it. Each claim has a fencing <em>token</em>, which grows with every claim of the job.
 * Every write by a holder names the incarnation and the token it believes are current; a row that
 * no longer matches is left unchanged and reported as lost.
 *
 * <p>What clients read, such as {@link dev.holdfast.api.job.Job}, is an interface in the API, so
 * that it can gain an accessor. Stores create it as a record of this package: {@link JobSnapshot},
 * {@link FailureSnapshot}, {@link NodeSnapshot}, {@link QueueSnapshot}, {@link TaskSnapshot} or
 * {@link LeaseSnapshot}.
 *
 * <p>The contract suite in {@code holdfast-store-tck} tests what every method here promises. All
 * methods may throw {@link dev.holdfast.api.StoreException}, whose outcome says whether the request
 * may have been carried out anyway.
 */
@NullMarked
package dev.holdfast.engine.store;

import org.jspecify.annotations.NullMarked;
