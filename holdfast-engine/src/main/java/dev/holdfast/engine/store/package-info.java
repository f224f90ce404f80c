/**
 * What the engine asks of a database, as small interfaces: one for each role that asks.
 *
 * <p>A store never decides policy. It is told "retry in 20 seconds" or "this failed for good"; it
 * carries that out in one guarded step and reports what happened. Everything a holder writes names
 * the incarnation and the token it believes in; a row that no longer agrees is left alone and
 * reported as lost. The contract suite in the testkit says in tests what every method here
 * promises.
 *
 * <p>All methods may throw {@link dev.holdfast.api.StoreException}, whose outcome says whether the
 * request may have been carried out all the same.
 */
@NullMarked
package dev.holdfast.engine.store;

import org.jspecify.annotations.NullMarked;
