/**
 * What every store must do, as tests: one class for each theme, each test a fact.
 *
 * <p>To hold a store to it, extend {@link dev.holdfast.tck.contract.StoreContract} and hand over a
 * {@link dev.holdfast.tck.contract.StoreFixture}; all themes run as nested classes. A single theme
 * can be extended on its own. The suite speaks to the store through the engine's interfaces only,
 * never sleeps, and never compares a time that the store gave before some time passed with one it
 * gave after, so that it holds for a clock that is moved and for rows that are.
 */
@NullMarked
package dev.holdfast.tck.contract;

import org.jspecify.annotations.NullMarked;
