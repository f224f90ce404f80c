/**
 * The contract of a store as tests, with one class for each topic.
 *
 * <p>To test a store, extend {@link dev.holdfast.tck.contract.StoreContract} and supply a {@link
 * dev.holdfast.tck.contract.StoreFixture}; all topics run as nested classes. A single topic can
 * also be extended separately. The suite calls stores only through their interfaces in {@code
 * engine.store}, and never sleeps. From the rest of the engine it takes only the values that nodes
 * and clients would pass to a store, such as notes, event publications and signals. It never
 * compares times that the store returned before and after the fixture made time pass, so a fixture
 * may either move the clock or shift the times in the rows.
 */
@NullMarked
package dev.holdfast.tck.contract;

import org.jspecify.annotations.NullMarked;
