/**
 * The contract of a store as tests, with one class for each topic.
 *
 * <p>To test a store, extend {@link dev.holdfast.tck.contract.StoreContract} and supply a {@link
 * dev.holdfast.tck.contract.StoreFixture}; all topics run as nested classes. A single topic can
 * also be extended separately. The suite uses only the engine's store interfaces and never sleeps.
 * It never compares times that the store returned before and after the fixture made time pass, so a
 * fixture may either move the clock or shift the times in the rows.
 */
@NullMarked
package dev.holdfast.tck.contract;

import org.jspecify.annotations.NullMarked;
